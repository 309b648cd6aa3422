// The side list: what the plugin told the preview while it ran.
import { Button } from '@grafana/ui';
import { partition } from 'lodash';
import type { ReactNode } from 'react';
import { record, type Call } from '../observe/record';
import { report } from '../observe/report';
import { headings, Place, useRecord } from './overlay';

function Part({ title, what, items }: { title: string; what: string; items: ReactNode[] }) {
  return items.length === 0 ? null : (
    <details open={items.length < 12}>
      <summary>{`${title} (${items.length})`}</summary>
      <small>{what}</small>
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

const text = ({ method, path, status }: Call) => `${method} ${path} ${status}`;

export function ToldUs({ version, count }: { version: string; count: number }) {
  useRecord();
  const reads = [...record.reads].map(([module, names]) => `${module}: ${names.size} ${names.size === 1 ? 'name' : 'names'}`);
  const [refused, calls] = partition(record.calls, (call) => call.refused);
  const faults = record.faults.map((fault) => (
    <>
      {`${headings[fault.kind]}: ${fault.message} `}
      <Place fault={fault} />
    </>
  ));
  const parts: [title: string, what: string, items: ReactNode[]][] = [
    ['Errors', 'Exceptions, rejected promises, and what failed: builds, queries, health checks.', faults],
    ['Missing names', `Read from shared modules, which do not have them in version ${version}.`, [...record.missingNames]],
    ['Refused calls', 'The preview allows only the calls of the API on its list.', refused.map(text)],
    ['Deprecations', 'Warnings of the shared modules.', [...record.deprecations]],
    ['Notes', 'Stand-ins that took part, extension points, and what else is not as in the interface.', [...record.notes]],
    ['API calls', 'What the page asked the host, and the status of each answer.', calls.slice(-200).map(text)],
    ['Shared modules', 'Modules that the plugin imports from the host.', [...record.modules]],
    ['Names read', 'How many names of each @grafana module were read.', reads],
  ];
  return (
    <div className="preview-told">
      {!count && <p>No problems so far.</p>}
      {parts.map(([title, what, items]) => (
        <Part key={title} {...{ title, what, items }} />
      ))}
      <Button size="sm" variant="secondary" icon="download-alt" className="preview-action" onClick={save}>
        Save as JSON
      </Button>
    </div>
  );
}
