// The bus of the interface's own events: alerts, and what plugins publish.
import { EventBusSrv } from '@grafana/data';

export const appEvents = new EventBusSrv();
