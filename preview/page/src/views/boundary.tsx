// Stops an exception of a plugin where the plugin is drawn, notes it, and tries again when what it depends on changes.
import { Button, Stack, Text } from '@grafana/ui';
import { Component, type ErrorInfo, type ReactNode } from 'react';
import { describe, fault, phaseOf } from '../observe/faults';

interface Props {
  /** What was being drawn, such as "the query editor". */
  what: string;
  dependencies: unknown[];
  children: ReactNode;
}

export class Boundary extends Component<Props, { error?: Error }> {
  state: { error?: Error } = {};

  static getDerivedStateFromError(thrown: unknown): { error: Error } {
    return { error: thrown instanceof Error ? thrown : new Error(describe(thrown)) };
  }
  componentDidCatch(thrown: unknown, info: ErrorInfo): void {
    fault(phaseOf(thrown), thrown, info.componentStack ?? '');
  }
  componentDidUpdate(before: Props): void {
    const { dependencies } = this.props;
    if (this.state.error && dependencies.some((d, i) => d !== before.dependencies[i])) {
      this.setState({ error: undefined });
    }
  }
  render(): ReactNode {
    const { error } = this.state;
    if (!error) {
      return this.props.children;
    }
    return (
      <Stack direction="column" alignItems="flex-start" gap={1}>
        <Text color="error">{`An exception stopped ${this.props.what}: ${error.message}`}</Text>
        <Button size="sm" variant="secondary" onClick={() => this.setState({ error: undefined })}>
          Try again
        </Button>
      </Stack>
    );
  }
}
