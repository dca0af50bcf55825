import { describe, expect, test } from '@jest/globals';
import { cpuTimeMs } from '../../framework/base/time/cpu-time.fixture.ts';
import { createFakeClock } from '../../framework/base/time/fake-clock.ts';
import { type TemplateLimit, TemplateLimitError } from './errors.ts';
import { parseTemplate } from './template.ts';
import { dict, int, list, strings, type Value } from './values/value.ts';

function limitOf(run: () => unknown): TemplateLimit | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof TemplateLimitError) return error.limit;
    throw error;
  }
  return undefined;
}

const MIB = 1024 * 1024;

describe('the output', () => {
  const render = (text: string, data: Value = null) => limitOf(() => parseTemplate('t', text).execute(data));

  test('may have exactly 1 MiB', () => {
    const data = dict([['s', 'x'.repeat(MIB)]]);
    expect(parseTemplate('t', '{{ .s }}').execute(data)).toHaveLength(MIB);
    expect(render('{{ .s }}-', data)).toBe('output');
  });

  test('is counted in bytes', () => {
    expect(render('{{ .s }}', dict([['s', 'é'.repeat(MIB / 2)]]))).toBeUndefined();
    expect(render('{{ .s }}', dict([['s', `é${'é'.repeat(MIB / 2)}`]]))).toBe('output');
  });

  test('of a loop is limited', () => {
    expect(render(`{{ range 2000 }}${'x'.repeat(1024)}{{ end }}`)).toBe('output');
  });
});

describe('a template that would take too much is stopped', () => {
  const cyclic = dict();
  cyclic.entries.set('self', cyclic);
  const shared = Array.from({ length: 40 }).reduce<Value>((inner) => list([inner, inner]), 'x');
  const many = strings(Array.from({ length: 1000 }, (_, i) => `key${i}`));

  test.each<{ reason: string; text: string; data?: Value; limit: TemplateLimit }>([
    { reason: 'a loop', text: '{{ range 1000000000 }}{{ end }}', limit: 'steps' },
    {
      reason: 'loops in loops',
      text: '{{ range . }}{{ range $ }}{{ range $ }}{{ end }}{{ end }}{{ end }}',
      data: many,
      limit: 'steps',
    },
    {
      reason: 'a recursive template',
      text: '{{ define "r" }}{{ template "r" . }}{{ end }}{{ template "r" . }}',
      limit: 'depth',
    },
    {
      reason: 'templates that double',
      text: `${Array.from(
        { length: 40 },
        (_, i) => `{{ define "t${i}" }}{{ template "t${i + 1}" }}{{ template "t${i + 1}" }}{{ end }}`,
      ).join('')}{{ define "t40" }}{{ end }}{{ template "t0" }}`,
      limit: 'steps',
    },
    {
      reason: 'a wide number',
      text: '{{ range 10 }}{{ $x := printf "%10000000d" 1 }}{{ end }}',
      limit: 'memory',
    },
    {
      reason: 'a precise number',
      text: '{{ range 10 }}{{ $x := printf "%.10000000f" 1.5 }}{{ end }}',
      limit: 'memory',
    },
    {
      reason: 'a string that doubles',
      text: `{{ $x := "0123456789abcdef" }}${'{{ $x = print $x $x }}'.repeat(40)}`,
      limit: 'memory',
    },
    {
      reason: 'a quoted string that doubles',
      text: `{{ $x := "\\x00" }}${'{{ $x = printf "%q" $x }}'.repeat(40)}`,
      limit: 'memory',
    },
    {
      reason: 'an escaped string that doubles',
      text: `{{ $x := "&&&&&&&&" }}${'{{ $x = html $x }}'.repeat(60)}{{ $y := print $x $x $x }}${'{{ $y = print $y $y }}'.repeat(30)}`,
      limit: 'memory',
    },
    { reason: 'a value with itself in it', text: '{{ print . }}', data: cyclic, limit: 'depth' },
    { reason: 'a value of exponential size', text: '{{ print . }}', data: shared, limit: 'steps' },
    { reason: 'deep parentheses', text: `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`, limit: 'depth' },
    { reason: 'deep actions', text: '{{ if . }}'.repeat(5000), limit: 'depth' },
    { reason: 'a long text', text: 'x'.repeat(256 * 1024 + 1), limit: 'source' },
    { reason: 'a long text in bytes', text: 'é'.repeat(128 * 1024 + 1), limit: 'source' },
  ])('$reason', ({ text, data = 1.5, limit }) => {
    expect(limitOf(() => parseTemplate('t', text, { limits: { timeMs: 60_000 } }).execute(data))).toBe(limit);
  });

  test('after the time limit, by the clock', () => {
    const clock = createFakeClock();
    const slow = { ...clock, monotonic: () => clock.monotonic() + ticks++ };
    let ticks = 0;
    const template = parseTemplate('t', '{{ range 100000 }}{{ end }}', { limits: { timeMs: 20 } });
    expect(limitOf(() => template.execute(null, { clock: slow }))).toBe('time');
    expect(limitOf(() => template.execute(null, { clock }))).toBeUndefined();
  });

  test('the error says where', () => {
    const template = parseTemplate('shop/db', 'a\n {{ range 1000000000 }}{{ end }}', {
      limits: { timeMs: 60_000 },
    });
    expect(() => template.execute(null)).toThrow(
      'template: shop/db:2:10: the template takes more than 1000000 steps',
    );
  });
});

describe('what is large, but not too large', () => {
  test('a long chain of else if', () => {
    const chain = Array.from({ length: 5000 }, (_, i) => `{{ else if eq . ${i} }}${i}`).join('');
    const template = parseTemplate('t', `{{ if eq . -1 }}${chain}{{ end }}`, { limits: { timeMs: 60_000 } });
    expect(template.execute(int(4999))).toBe('4999');
  });

  test('100 levels of templates with conditions and loops in them', () => {
    const body =
      '{{ if . }}{{ range 1 }}{{ with $ }}{{ template "r" (slice . 1) }}{{ end }}{{ end }}{{ end }}';
    const text = `{{ define "r" }}${body}{{ end }}{{ template "r" . }}`;
    const template = parseTemplate('t', text, { limits: { timeMs: 60_000 } });
    expect(template.execute('x'.repeat(80))).toBe('');
  });

  test('a template of 10 KB with 100 actions takes a few milliseconds', () => {
    const line =
      '  key: {{ printf "%s-%d" .name (len .name) | html }} and some more text to fill the line with it .....\n';
    // A busy machine takes many times the CPU time.
    const template = parseTemplate('t', line.repeat(100), { limits: { timeMs: 60_000 } });
    const data = dict([['name', 'a <name> & more']]);
    const executions = (count: number) => () => {
      for (let i = 0; i < count; i++) template.execute(data);
    };
    executions(100)();
    expect(cpuTimeMs(executions(20)) / 20).toBeLessThan(5);
  });
});
