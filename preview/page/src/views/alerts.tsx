// The alerts that plugins and services send to the interface.
import { AppEvents, type AppEvent } from '@grafana/data';
import { Alert, type AlertVariant } from '@grafana/ui';
import { useEffect, useState } from 'react';
import { appEvents } from '../services/events';

interface Shown {
  id: number;
  severity: AlertVariant;
  title: string;
  text?: string;
}

const kinds: [AppEvent<unknown[]>, AlertVariant][] = [
  [AppEvents.alertSuccess, 'success'],
  [AppEvents.alertWarning, 'warning'],
  [AppEvents.alertError, 'error'],
  [AppEvents.alertInfo, 'info'],
];
let last = 0;

export function Alerts() {
  const [shown, setShown] = useState<Shown[]>([]);
  const remove = (id: number) => setShown((all) => all.filter((a) => a.id !== id));
  useEffect(() => {
    const subscriptions = kinds.map(([event, severity]) => {
      const handle = (payload?: unknown[]) => {
        const [title, text] = [payload].flat().map((part) => (part === undefined ? undefined : String(part)));
        const id = ++last;
        setShown((all) => [...all.slice(-3), { id, severity, title: title ?? severity, text }]);
        window.setTimeout(() => remove(id), 8000);
      };
      appEvents.on(event, handle);
      return () => appEvents.off(event, handle);
    });
    return () => subscriptions.forEach((off) => off());
  }, []);
  return (
    <div className="preview-alerts" role="status">
      {shown.map(({ id, severity, title, text }) => (
        <Alert key={id} severity={severity} title={title} elevated onRemove={() => remove(id)}>
          {text}
        </Alert>
      ))}
    </div>
  );
}
