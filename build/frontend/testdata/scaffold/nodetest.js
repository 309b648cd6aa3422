// The part of node:test and node:assert/strict that the tests of scaffolds use.
export function test(name, run) {
  globalThis.passed = (globalThis.passed || 0) + 1;
  try {
    run();
  } catch (error) {
    throw new Error(name + ': ' + error.message);
  }
}

function check(ok, got, want) {
  if (!ok) throw new Error('got ' + JSON.stringify(got) + ', want ' + want);
}

export default {
  equal: (got, want) => check(Object.is(got, want), got, want),
  deepEqual: (got, want) => check(JSON.stringify(got) === JSON.stringify(want), got, JSON.stringify(want)),
  match: (got, want) => check(want.test(got), got, want),
};
