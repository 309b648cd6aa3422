// Shows errors over the page, with the author's file and code, until they are fixed or put aside.
import { Button, IconButton } from '@grafana/ui';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { boot } from '../boot/boot';
import { record, type Fault, type FaultKind } from '../observe/record';

export const headings: Record<FaultKind, string> = {
  build: 'The build failed',
  types: 'A type error',
  draw: 'An exception while drawing',
  effect: 'An exception in an effect',
  event: 'An exception in an event',
  rejection: 'A promise was rejected',
  load: 'The plugin did not load',
  query: 'A query failed',
  health: 'The data source does not work',
  console: 'React reports an error',
};

export function useRecord(): number {
  return useSyncExternalStore(record.subscribe, () => record.version);
}

/** Where an error is in the author's sources, if that is known. */
export function Place({ fault: { file, line, column } }: { fault: Fault }) {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return file ? (
    <a href={`vscode://file/${encodeURI(boot.root)}/${place}`} title="Open in Visual Studio Code" className="preview-link">
      <code>{place}</code>
    </a>
  ) : null;
}

function Code({ fault }: { fault: Fault }) {
  const width = Math.max(...(fault.code ?? []).map(({ line }) => String(line).length));
  return (
    <pre tabIndex={0} aria-label="Code">
      {fault.code?.map(({ line, text }) => (
        <div key={line} className={line === fault.line ? 'preview-code-here' : undefined}>
          {`${String(line).padStart(width)} │ ${text}`}
          {line === fault.line && fault.column !== undefined && `\n${' '.repeat(width)} │ ${' '.repeat(Math.max(0, fault.column - 1))}^`}
        </div>
      ))}
    </pre>
  );
}

function One({ fault }: { fault: Fault }) {
  return (
    <article>
      <h3>{headings[fault.kind]}</h3>
      <p className="preview-fault-message">{fault.message}</p>
      <p>
        <Place fault={fault} />
      </p>
      {!!fault.code?.length && <Code fault={fault} />}
      {fault.help && <p>{fault.help}</p>}
      {fault.ours && <p>No code of the plugin took part: this is an error of the preview.</p>}
      {fault.stack && (
        <details>
          <summary>Stack</summary>
          <pre tabIndex={0}>{fault.stack}</pre>
        </details>
      )}
    </article>
  );
}

export function Overlay() {
  const version = useRecord();
  const [aside, setAside] = useState<Fault[]>([]);
  const shown = record.faults.filter((f) => !f.quiet && !aside.includes(f));
  useEffect(() => setAside((old) => old.filter((f) => record.faults.includes(f))), [version]);
  useEffect(() => {
    const isOfList = ({ target }: Event) => target instanceof Element && target.matches('[role=combobox][aria-expanded=true]'); // which it closes
    const close = (e: KeyboardEvent) => e.key === 'Escape' && !isOfList(e) && setAside([...record.faults]);
    window.addEventListener('keydown', close, true);
    return () => window.removeEventListener('keydown', close, true);
  }, []);
  if (!shown.length) {
    return null;
  }
  return (
    <section role="alert" aria-label="Errors" className="preview-overlay">
      <div className="preview-overlay-close">
        <IconButton name="times" tooltip="Put the errors aside (Esc)" onClick={() => setAside([...record.faults])} />
      </div>
      {shown.slice(0, 3).map((fault, i) => (
        <One key={i} fault={fault} />
      ))}
      {shown.length > 3 && (
        <Button size="sm" variant="secondary" onClick={() => setAside([...aside, ...shown.slice(0, 3)])}>
          {`${shown.length - 3} more`}
        </Button>
      )}
    </section>
  );
}
