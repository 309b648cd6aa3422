// A browser in which the page has begun, as in page.ts. Tests import it first: modules of @grafana read the globals while they
// are evaluated, and react-dom looks for the hook of React Fast Refresh.
import './dom';
import { boot } from '../src/boot/boot';
import { setGlobals } from '../src/boot/globals';
import { watchNetwork } from '../src/observe/network';
import { connect } from '../src/refresh/runtime';

export * from './dom';

setGlobals(boot);
watchNetwork();
connect();
Object.assign(globalThis, {
  __REACT_DEVTOOLS_GLOBAL_HOOK__: (window as { __REACT_DEVTOOLS_GLOBAL_HOOK__?: object }).__REACT_DEVTOOLS_GLOBAL_HOOK__,
});
