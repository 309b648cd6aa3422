// The bus of the interface's own events: alerts, and what plugins publish.
import { BusEventWithPayload, EventBusSrv } from '@grafana/data';
import type { ComponentType } from 'react';

export const appEvents = new EventBusSrv();

/** Asks for a modal, from code outside of components. */
export class ModalEvent extends BusEventWithPayload<{ title: string; body: ComponentType<{ onDismiss?: () => void }> }> {
  static type = 'preview-modal';
}
