// Bundles each test for Node and runs it with Node's own test runner.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const here = import.meta.dirname;
const out = mkdtempSync(join(here, '../node_modules/.tests-')); // there, tests find the packages
const tests = readdirSync(here).filter((name) => name.endsWith('.test.ts'));
try {
  await build({
    entryPoints: tests.map((name) => join(here, name)),
    outdir: out,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    external: ['esbuild'],
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  const files = tests.map((name) => join(out, basename(name, '.ts') + '.cjs'));
  const run = spawnSync(process.execPath, ['--test', '--test-reporter=spec', ...files], { stdio: 'inherit' });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(out, { recursive: true });
}
