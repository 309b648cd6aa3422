// The editor of thresholds: values from which on a colour applies.
import { ThresholdsMode, type StandardEditorProps, type Threshold, type ThresholdsConfig } from '@grafana/data';
import { Button, ColorPicker, IconButton, RadioButtonGroup, Stack } from '@grafana/ui';
import { Draft } from './simple';

const modes = [
  { value: ThresholdsMode.Absolute, label: 'Absolute' },
  { value: ThresholdsMode.Percentage, label: 'Percentage' },
];
const palette = ['green', 'red', 'orange', 'blue', 'yellow', 'purple'];

const isNumber = (text: string) => text.trim() !== '' && !Number.isNaN(Number(text));

/** In the order of their values; the first applies from minus infinity. */
function ordered(steps: Threshold[]): Threshold[] {
  return [...steps].sort((a, b) => a.value - b.value).map((step, i) => (i === 0 ? { ...step, value: -Infinity } : step));
}

export function ThresholdsEditor({ value, onChange }: StandardEditorProps<ThresholdsConfig>) {
  const { mode = ThresholdsMode.Absolute, steps = [] } = value ?? {};
  const shown = ordered(steps.map((step) => ({ ...step, value: step.value ?? -Infinity }))); // JSON has null for minus infinity
  const set = (next: Threshold[]) => onChange({ mode, steps: ordered(next) });
  const replace = (i: number, change: Partial<Threshold>) => set(shown.map((step, j) => (i === j ? { ...step, ...change } : step)));
  const move = (i: number, text: string) => isNumber(text) && replace(i, { value: Number(text) });
  const setMode = (mode: ThresholdsMode) => onChange({ mode, steps: shown });
  const last = shown.at(-1)?.value ?? -Infinity;
  const next = { value: last === -Infinity ? 80 : last + 10, color: palette[shown.length % palette.length] };
  return (
    <Stack direction="column" gap={1}>
      {shown.map((step, i) => (
        <Stack key={`${i}/${step.value}`} alignItems="center" gap={1}>
          <ColorPicker color={step.color} onChange={(color) => replace(i, { color })} enableNamedColors />
          {i === 0 ? (
            <span style={{ width: 112 }}>Base</span>
          ) : (
            <Draft type="number" width={14} aria-label={`Threshold ${i}`} text={String(step.value)} commit={(text) => move(i, text)} />
          )}
          {i > 0 && (
            <IconButton name="trash-alt" aria-label={`Remove threshold ${i}`} onClick={() => set(shown.filter((_, j) => j !== i))} />
          )}
        </Stack>
      ))}
      <div>
        <Button size="sm" variant="secondary" icon="plus" onClick={() => set([...shown, next])}>
          Add threshold
        </Button>
      </div>
      <RadioButtonGroup size="sm" aria-label="Thresholds mode" options={modes} value={mode} onChange={setMode} />
    </Stack>
  );
}
