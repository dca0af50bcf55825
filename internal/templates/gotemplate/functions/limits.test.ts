import { describe, expect, test } from '@jest/globals';
import { cpuTimeMs } from '../../../framework/base/time/cpu-time.fixture.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { TemplateLimitError } from '../errors.ts';
import { parseTemplate } from '../template.ts';
import { dict } from '../values/value.ts';
import { SPRIG_FUNCTIONS } from './categories.ts';

const data = dict([
  ['long', 'x'.repeat(500_000)],
  ['lines', '\n'.repeat(100_000)],
  ['dots', '.'.repeat(2_000_000)],
]);

const render = (template: string) =>
  parseTemplate('t', template, { functions: SPRIG_FUNCTIONS }).execute(data, { clock: createFakeClock() });

describe('a function that would make something large fails before it does', () => {
  test.each([
    '{{ repeat 1000000000 "a" }}',
    '{{ until 1000000000 }}',
    '{{ until -1000000000 }}',
    '{{ untilStep 0 9223372036854775807 1 }}',
    '{{ seq 1000000000 }}',
    '{{ indent 1000000000 "a" }}',
    '{{ indent 10000 .lines }}',
    '{{ nindent 1000000000 "a" }}',
    '{{ randAlpha 1000000000 }}',
    '{{ randAscii 9223372036854775807 }}',
    '{{ wrapWith 1 (repeat 1000 "-") .long }}',
    '{{ join (repeat 10000 "-") (until 20000) }}',
    '{{ replace "x" (repeat 1000 "y") .long }}',
    '{{ replace "" (repeat 1000 "y") .long }}',
    '{{ regexReplaceAll "x" .long (repeat 1000 "y") }}',
    '{{ regexReplaceAllLiteral "" .long "y" }}',
    '{{ regexMatch (repeat 100000 "a") "a" }}',
    '{{ regexMatch "(a?){1000}b" .long }}',
    '{{ range until 100 }}{{ $x := list $ $ | toPrettyJson }}{{ end }}',
    '{{ range until 1000 }}{{ $x := splitList "\\n" $.lines }}{{ end }}',
    '{{ range until 1000 }}{{ $x := upper $.long }}{{ end }}',
    '{{ range until 3 }}{{ $x := date $.long 0 }}{{ end }}',
    '{{ dig .dots "x" (dict) }}',
    '{{ range until 50 }}{{ $x := dig (trunc 45000 $.dots) "x" (dict "" (dict "" 1)) }}{{ end }}',
    '{{ split "." .dots }}',
    '{{ splitn "." 9000000 .dots }}',
    '{{ regexSplit "\\\\." .dots -1 }}',
    '{{ range until 100 }}{{ $x := clean $.dots }}{{ end }}',
    '{{ range until 3 }}{{ $x := toDate $.long $.long }}{{ end }}',
  ])('%s', (template) => {
    expect(cpuTimeMs(() => expect(() => render(template)).toThrow(TemplateLimitError))).toBeLessThan(2000);
  });
});

describe('a value that is nested too deeply fails', () => {
  const cyclic = '{{ $d := dict "a" 1 }}{{ $_ := set $d "self" $d }}';
  const nested = '{{ $d := dict }}{{ range until 200 }}{{ $d = dict "a" $d }}{{ end }}';

  test.each([
    `${cyclic}{{ toJson $d }}`,
    `${cyclic}{{ toPrettyJson $d }}`,
    `${cyclic}{{ deepCopy $d }}`,
    `${cyclic}{{ toString $d }}`,
    `${cyclic}{{ $e := dict "a" 1 }}{{ $_ := set $e "self" $e }}{{ deepEqual $d $e }}`,
    `${cyclic}{{ $e := dict "a" 1 }}{{ $_ := set $e "self" $e }}{{ merge $d $e }}`,
    `${nested}{{ toJson $d }}`,
    '{{ fromJson (repeat 100000 "[") }}',
  ])('%s', (template) => {
    expect(() => render(template)).toThrow(TemplateLimitError);
  });
});

test('a pattern that takes long in backtracking engines does not', () => {
  expect(
    cpuTimeMs(() => expect(render('{{ regexMatch "^(a+)+$" (print (repeat 5000 "a") "b") }}')).toBe('false')),
  ).toBeLessThan(1000);
});

describe('a call on which sprout does not end', () => {
  test.each([
    ['{{ append (list 1) (list 2) }}', '[1 [2]]'],
    ['{{ prepend (list 1) (list 2) }}', '[[2] 1]'],
    ['{{ append (list 1) nil }}', '[1 <nil>]'],
    ['{{ append nil nil | toJson }}', 'null'],
    ['{{ without (list 1 nil) nil }}', '[1]'],
    ['{{ slice (list 1 2) (list) }}', '[1 2]'],
    ['{{ pick (dict "a" 1) (dict "b" 2) | toJson }}', 'null'],
    ['{{ omit (dict "a" 1) (dict "b" 2) | toJson }}', 'null'],
  ])('%s takes the list or dictionary first', (template, output) => {
    expect(render(template)).toBe(output);
  });
});
