// Lets what is no component open a modal: the frame of the page hands over how.
import type { ComponentType } from 'react';

export interface Modal {
  title: string;
  body: ComponentType<{ onDismiss?: () => void }>;
}

let show: ((modal: Modal) => void) | undefined;

export function provideModals(how: (modal: Modal) => void): void {
  show = how;
}
export function openModal(modal: Modal): void {
  show?.(modal);
}
