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
  return (
    <div className="preview-told">
      {!count && <p>No problems so far.</p>}
      <Part
        title="Errors"
        what="Exceptions, rejected promises, and what failed: builds, queries, health checks."
        items={record.faults.map((fault) => (
          <>
            {`${headings[fault.kind]}: ${fault.message} `}
            <Place fault={fault} />
          </>
        ))}
      />
      <Part
        title="Missing names"
        what={`Read from shared modules, which do not have them in version ${version}.`}
        items={[...record.missingNames]}
      />
      <Part title="Refused calls" what="The preview allows only the calls of the API on its list." items={refused.map(text)} />
      <Part title="Deprecations" what="Warnings of the shared modules." items={[...record.deprecations]} />
      <Part
        title="Notes"
        what="Stand-ins that took part, extension points, and what else is not as in the interface."
        items={[...record.notes]}
      />
      <Part title="API calls" what="What the plugin asked the host, and the status of each answer." items={calls.slice(-200).map(text)} />
      <Part title="Shared modules" what="Modules that the plugin imports from the host." items={[...record.modules]} />
      <Part title="Names read" what="How many names of each @grafana module were read." items={reads} />
      <Button size="sm" variant="secondary" icon="download-alt" className="preview-action" onClick={save}>
        Save as JSON
      </Button>
    </div>
  );
}
