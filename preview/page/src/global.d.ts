// The bundler replaces this expression.
declare const process: { env: { NODE_ENV: 'development' | 'production' } };
