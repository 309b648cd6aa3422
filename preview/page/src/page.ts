// The entry of the page. Nothing that is imported here may import a @grafana module: those read globals and localStorage
// while they are evaluated, and react-dom looks for the hook of React Fast Refresh.
import 'font-awesome/css/font-awesome.css'; // hosts have it for plugins, which use its classes and its font
import './page.css';
import { boot } from './boot/boot';
import { setGlobals } from './boot/globals';
import { watchConsole } from './observe/console';
import { describe } from './observe/faults';
import { watchNetwork } from './observe/network';

async function main(): Promise<void> {
  setGlobals(boot);
  watchConsole();
  watchNetwork();
  if (process.env.NODE_ENV !== 'production') {
    const { connect } = await import('./refresh/runtime');
    connect();
  }
  const { start } = await import('./start');
  await start();
}

main().catch((e: unknown) => {
  console.error(e);
  const root = document.getElementById('preview-root')!;
  root.setAttribute('role', 'alert');
  root.textContent = `The preview could not start: ${describe(e)}`;
});
