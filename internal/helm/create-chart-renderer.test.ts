import { afterEach, expect, test } from '@jest/globals';
import { systemClock } from '../base/time/clock.ts';
import type { ChartRenderer, RenderRequest } from './chart-renderer.ts';
import { createChartRenderer } from './create-chart-renderer.ts';

const never = new AbortController().signal;
let renderer: ChartRenderer | undefined;
afterEach(async () => {
  await renderer?.close();
  renderer = undefined;
});

const request = (template: string, values: Record<string, unknown> = {}): RenderRequest => ({
  files: [
    { name: 'Chart.yaml', data: Buffer.from('apiVersion: v2\nname: c\nversion: 1.0.0\n') },
    { name: 'templates/a.yaml', data: Buffer.from(template) },
  ],
  values,
  release: { name: 'r', namespace: 'n' },
});

function render(job: RenderRequest) {
  renderer ??= createChartRenderer({ clock: systemClock });
  return renderer.render(job, { group: 'cluster', signal: never });
}

test('documents come out of the thread in the order of installation', async () => {
  const template = 'kind: Service\n---\nkind: Namespace\nname: {{ .Values.name }}\n';
  expect(await render(request(template, { name: 'x' }))).toEqual([
    { source: 'c/templates/a.yaml', text: 'kind: Namespace\nname: x\n\n' },
    { source: 'c/templates/a.yaml', text: 'kind: Service\n\n' },
  ]);
});

test('what Helm refuses is a terminal error with file and line', async () => {
  await expect(render(request('a: 1\n{{ required "give a name" .Values.name }}'))).rejects.toMatchObject({
    kind: 'terminal',
    message: 'execution error at (c/templates/a.yaml:2:3): give a name',
  });
});
