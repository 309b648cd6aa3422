// Packages without types, which are only handed over to plugins, and the router that the page itself uses.
declare module 'd3';
declare module 'prismjs';
declare module 'slate';
declare module 'slate-plain-serializer';
declare module 'slate-react';
declare module 'react-router-dom' {
  import type { LocationService } from '@grafana/runtime';
  import type { ComponentType, ReactNode } from 'react';
  export const Router: ComponentType<{ history: ReturnType<LocationService['getHistory']>; children: ReactNode }>;
}
// The bundler replaces this expression.
declare const process: { env: { NODE_ENV: 'development' | 'production' } };
