// A part of a pane that can be closed.
import { Collapse } from '@grafana/ui';
import { useState, type ReactNode } from 'react';

export function Category({ title, children }: { title: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(true);
  return (
    <Collapse label={title} isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
      {children}
    </Collapse>
  );
}
