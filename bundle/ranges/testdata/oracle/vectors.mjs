// Prints test vectors for ranges, each a line with tabs in it:
//
//	lowest	RANGE	VERSION     the lowest version it admits; none; or invalid
//	admits	RANGE	VERSION	true or false
//	below	RANGE	VERSION	true or false: it admits a version below VERSION-0
//
// Arguments: how many ranges to generate (600), and a seed (1).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import semver from "semver";

const count = Number(process.argv[2] ?? 600);
let state = Number(process.argv[3] ?? 1);

// random is a small generator with a seed (mulberry32): the same vectors every time.
function random(n) {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
}
const pick = (list) => list[random(list.length)];

const number = () => pick(["0", "1", "3", "9", "9", "10", "10", "11", "x", "*", "X", "01"].slice(0, pick([8, 8, 8, 8, 8, 8, 8, 8, 9, 11, 12])));
const pre = () => pick(["-0", "-alpha", "-beta.2", "-beta.11", "-rc.1.x", "-a-b", "-1.0", "-01", "-"].slice(0, pick([7, 7, 7, 9])));
const build = () => pick(["", "", "", "", "+b.1"]);
function partial() {
  const parts = [number(), number(), number()].slice(0, pick([1, 2, 2, 3, 3, 3, 3]));
  const tail = parts.length === 3 ? pick(["", "", pre()]) + build() : pick(["", "", "", "", "", "", "", pre()]);
  return pick(["", "", "", "", "", "", "v", "=", " "]) + parts.join(".") + tail;
}
const operator = () => pick(["", "", ">=", ">=", "<", "<", ">", "<=", "~", "^", "=", "~>", ">= ", "< ", "^ ", "=>", "!=", ">>"].slice(0, pick([15, 15, 15, 15, 15, 15, 15, 18])));
const condition = () => operator() + partial();
function alternative() {
  if (random(6) === 0) {
    return partial() + pick([" - ", " - ", " - ", "  -  ", "-", " -", "- "]) + partial();
  }
  const conditions = Array.from({ length: pick([1, 1, 2, 2, 2, 3]) }, condition);
  return conditions.join(pick([" ", " ", " ", "  ", ", ", "", " && "].slice(0, pick([4, 4, 4, 4, 4, 4, 7]))));
}
const range = () => Array.from({ length: pick([1, 1, 1, 2, 2, 3]) }, alternative).join(pick(["||", " || ", " || ", " | "].slice(0, pick([3, 3, 4]))));

const list = readFileSync(new URL("ranges.txt", import.meta.url), "utf8").split("\n").filter((l) => l !== "");
const ranges = new Set(list);
while (ranges.size < list.length + count) {
  const r = range();
  if (r.trim() !== "" && !isAccident(r)) ranges.add(r);
}

// isAccident says whether node-semver takes a range only because it deletes build
// metadata and a star wherever they stand, as in 9.4.1-v*, 9>=*
// and 9.4.1+a-9+b.
function isAccident(r) {
  return /[-+][^\s|]*\*/.test(r) || /\+[^\s|]*\+/.test(r) || /\w[<>=]*\s*\*[^\s|]/.test(r) || /\w[<>=]+\s*\*/.test(r) || /\*[<>=~^]/.test(r);
}

const probes = [];
for (const major of [0, 1, 9, 10, 11]) {
  for (const minor of [0, 3, 4]) {
    for (const patch of [0, 1, 9]) {
      for (const tail of ["", "-0", "-alpha", "-beta.2", "-rc.1"]) probes.push(`${major}.${minor}.${patch}${tail}`);
    }
  }
}
// edges returns the versions at which a range may begin or end.
function edges(r) {
  const versions = ["0.0.0-0", "0.0.0", ...r.split(/[^\w.-]+/)];
  for (const alternative of new semver.Range(r).set) {
    for (const comparator of alternative) {
      const v = comparator.semver;
      if (!(v instanceof semver.SemVer)) continue;
      const release = `${v.major}.${v.minor}.${v.patch}`;
      const next = `${v.major}.${v.minor}.${v.patch + 1}`;
      versions.push(v.version, release, `${release}-0`, next, `${next}-0`);
      if (v.prerelease.length > 0) versions.push(`${v.version}.0`);
    }
  }
  return versions.filter((v) => semver.valid(v) === v);
}

// lowestOf asks for each edge whether it satisfies the range. semver.minVersion is
// not asked: it gives up where one alternative of several admits nothing, and leaves
// out prereleases below a release that it has tried first.
function lowestOf(r) {
  return edges(r).filter((v) => semver.satisfies(v, r)).sort(semver.compare)[0] ?? null;
}

const version = createRequire(import.meta.url)("semver/package.json").version;
console.log(`# Written by oracle/vectors.mjs with node-semver ${version}, ${count} ranges generated from a seed.`);
for (const r of ranges) {
  if (semver.validRange(r) === null) {
    console.log(["lowest", r, "invalid"].join("\t"));
    continue;
  }
  const lowest = lowestOf(r);
  console.log(["lowest", r, lowest ?? "none"].join("\t"));
  for (const v of new Set([pick(probes), pick(edges(r)), pick(edges(r))])) {
    console.log(["admits", r, v, semver.satisfies(v, r)].join("\t"));
  }
  const bound = pick(["9.4.0", "10.3.0", "7.5.5", "0.0.1"]);
  console.log(["below", r, bound, lowest !== null && semver.lt(lowest, bound + "-0")].join("\t"));
}
