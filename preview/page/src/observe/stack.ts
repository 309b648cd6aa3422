// Stack traces, as Chromium and Firefox write them.

/** As preview/sources.go reads it. */
interface StackFrame {
  url: string;
  line: number;
  column: number;
}

const chromium = /^\s*at (?:.*? \()?(?:async )?((?:https?|file):\/\/[^\s)]+):(\d+):(\d+)\)?$/;
const firefox = /^.*?@((?:https?|file):\/\/.+):(\d+):(\d+)$/;

/** The frames of a stack trace, or of React's component stack; the innermost first, columns from 0. */
export function stackFrames(stack: string): StackFrame[] {
  return stack.split('\n').flatMap((line) => {
    const match = chromium.exec(line) ?? firefox.exec(line.trim());
    return match ? [{ url: match[1], line: Number(match[2]), column: Number(match[3]) - 1 }] : [];
  });
}

/** Whether the address is a file of a plugin. */
export function isPluginFile(url: string): boolean {
  return new URL(url).pathname.startsWith('/public/plugins/');
}
