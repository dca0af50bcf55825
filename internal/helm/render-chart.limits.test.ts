import { describe, expect, test } from '@jest/globals';
import { renderChart } from './render-chart.ts';

const render = (template: string, limits: Parameters<typeof renderChart>[1] = {}) =>
  renderChart(
    {
      files: [
        { name: 'Chart.yaml', data: Buffer.from('apiVersion: v2\nname: c\nversion: 1.0.0\n') },
        { name: 'templates/a.yaml', data: Buffer.from(template) },
      ],
      values: {},
      release: { name: 'r', namespace: 'n' },
    },
    limits,
  );

describe('a chart that would take too much is stopped', () => {
  test.each([
    [
      'a template that includes itself',
      '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}',
      'depth',
    ],
    ['a text that executes itself', '{{ $t := "{{ tpl .t . }}" }}{{ tpl $t (dict "t" $t) }}', 'depth'],
    ['a map that contains itself', '{{ $m := dict }}{{ $_ := set $m "m" $m }}{{ toYaml $m }}', 'depth'],
    ['a long output', '{{ range until 100000 }}{{ repeat 100 "0123456789" }}{{ end }}', 'output'],
    ['many steps', '{{ range until 100000 }}{{ range until 1000 }}{{ end }}{{ end }}', 'steps'],
  ])('%s', (_, template, limit) => {
    const limits = { outputBytes: 1024 * 1024, steps: 2_000_000 };
    expect(() => render(template, { limits })).toThrow(expect.objectContaining({ limit }));
  });
});

test('YAML with aliases that expand to very much is refused', () => {
  const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join(
    '\n',
  );
  expect(() => render(`kind: X\na0: &a0 [x]\n${levels}\n`)).toThrow('excessive aliasing');
});
