// The theme, which changes as in the interface: without loading the page again.
import { createTheme } from '@grafana/data';
import { config, ThemeChangedEvent } from '@grafana/runtime';
import { keepChoice } from '../boot/boot';
import { appEvents } from './events';

export type Mode = 'dark' | 'light';

export function setTheme(mode: Mode): void {
  keepChoice('theme', mode);
  const theme = createTheme({ colors: { mode } });
  config.theme2 = theme;
  config.bootData.user.theme = mode;
  config.bootData.user.lightTheme = theme.isLight;
  showTheme(mode);
  appEvents.publish(new ThemeChangedEvent(theme));
}

/** Says the theme to style sheets. */
export function showTheme(mode: Mode): void {
  document.body.classList.toggle('theme-light', mode === 'light');
  document.body.classList.toggle('theme-dark', mode === 'dark');
}
