// Bundles each test for Node and runs it with Node's own test runner: all, or those whose names begin with the argument.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const out = mkdtempSync(join(here, '../node_modules/.tests-')); // there, tests find the packages
const tests = readdirSync(here).filter((name) => /\.test\.tsx?$/.test(name) && name.startsWith(process.argv[2] ?? ''));
try {
  await build({
    entryPoints: tests.map((name) => join(here, name)),
    outdir: out,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  const files = tests.map((name) => join(out, name.replace(/\.tsx?$/, '.cjs')));
  const run = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=spec', '--test-timeout=120000', '--experimental-eventsource', ...files],
    { stdio: 'inherit' },
  );
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(out, { recursive: true });
}
