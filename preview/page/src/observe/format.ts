// Texts of calls of the console.

/** What a call of the console would show, with %s filled in. */
export function format(args: unknown[]): string {
  const [first, ...rest] = args;
  if (typeof first !== 'string') {
    return args.map(String).join(' ');
  }
  const text = first.replace(/%[sdifoOc]/g, (verb) => (verb === '%c' ? (rest.shift(), '') : rest.length ? String(rest.shift()) : verb));
  return [text, ...rest.map(String)].join(' ');
}
