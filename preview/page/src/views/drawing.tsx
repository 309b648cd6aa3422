// The place where a plugin is drawn: it is what a picture is compared of, and what the report says was drawn.
import type { PanelData } from '@grafana/data';
import { useEffect, useRef, type CSSProperties, type ReactNode } from 'react';
import { forgetDrawing, noteDrawing } from '../observe/report';

interface Props {
  name: string;
  title: string;
  data?: PanelData;
  style?: CSSProperties;
  children: ReactNode;
}

export function Drawing({ name, title, data, style, children }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const frames = data?.series.length ?? 0;
  const rows = data?.series.reduce((sum, frame) => sum + frame.length, 0) ?? 0;
  const error = data?.error?.message;
  useEffect(() => {
    const frame = requestAnimationFrame(() => noteDrawing(name, element.current, { title, frames, rows, error }));
    return () => cancelAnimationFrame(frame);
  }, [name, title, frames, rows, error]);
  useEffect(() => () => forgetDrawing(name), [name]);
  return (
    <div ref={element} data-preview-drawing={name} style={style}>
      {children}
    </div>
  );
}
