// The side list: what the plugin told the preview while it ran.
import { Button } from '@grafana/ui';
import { useSyncExternalStore, type ReactNode } from 'react';
import { record } from '../observe/record';
import { report } from '../observe/report';

export function useRecord(): number {
  return useSyncExternalStore(record.subscribe, () => record.version);
}

function Part({ title, what, items }: { title: string; what: string; items: ReactNode[] }) {
  return (
    <details open={items.length > 0 && items.length < 12}>
      <summary>{`${title} (${items.length})`}</summary>
      <p className="preview-what">{what}</p>
      <ul>
        {items.map((item, i) => (
          <li key={i}>{item}</li>
        ))}
      </ul>
    </details>
  );
}

function save(): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(report(), null, 2)], { type: 'application/json' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: 'preview-report.json' });
  link.click();
  URL.revokeObjectURL(url);
}

export function ToldUs({ version }: { version: string }) {
  useRecord();
  const reads = [...record.reads].map(([module, names]) => `${module}: ${names.size} ${names.size === 1 ? 'name' : 'names'}`);
  const calls = record.calls.slice(-200).map((c) => `${c.method} ${c.path} ${c.refused ? 'refused by the preview' : c.status}`);
  return (
    <div className="preview-told">
      <Part
        title="Errors"
        what="Exceptions, rejected promises and failed builds."
        items={record.faults.map((f) => `${f.message}${f.file ? ` (${f.file}:${f.line})` : ''}`)}
      />
      <Part
        title="Missing names"
        what={`Read from shared modules, which do not have them in version ${version}.`}
        items={[...record.missingNames]}
      />
      <Part title="Deprecations" what="Warnings of the shared modules." items={[...record.deprecations]} />
      <Part title="Calls of the API" what="What the plugin asked the host. The preview refuses what is not on its list." items={calls} />
      <Part title="Notes" what="Stand-ins that took part, and extension points." items={[...record.notes]} />
      <Part title="Shared modules" what="Asked for by the plugin's define." items={[...record.modules]} />
      <Part title="Names read" what="How many names of each @grafana module were read." items={reads} />
      <Button size="sm" variant="secondary" icon="download-alt" onClick={save}>
        Save as JSON
      </Button>
    </div>
  );
}
