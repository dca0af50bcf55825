import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import { createScreen } from './screen.ts';

const ESCAPE = String.fromCharCode(27);

function setup(isTTY: boolean, env: NodeJS.ProcessEnv = {}) {
  const clock = createFakeClock();
  const written: string[] = [];
  const output = { isTTY, write: (text: string) => written.push(text) };
  return { clock, screen: createScreen({ output, clock, env }), text: () => written.join('') };
}

async function performOn({ clock, screen }: ReturnType<typeof setup>) {
  screen.section('Section');
  screen.begin('first');
  await clock.advance(1500);
  screen.print('something happened');
  screen.held(1.5);
  screen.show('A  B\n\n1  2\n');
  screen.begin('second');
  screen.failed('second', 0.25, ['the reason', '  and more']);
  screen.section('End');
}

test('elsewhere than on a terminal it prints plain lines with the seconds since the start', async () => {
  const stage = setup(false);
  await performOn(stage);

  expect(stage.text().split('\n')).toEqual([
    'Section',
    '',
    '   0.0 s  .. first',
    '   1.5 s      something happened',
    '   1.5 s  ok (1.5 s)',
    '',
    '    A  B',
    '',
    '    1  2',
    '',
    '   1.5 s  .. second',
    '   1.5 s  FAILED second (0.3 s)',
    '   1.5 s      the reason',
    '   1.5 s        and more',
    '',
    'End',
    '',
    '',
  ]);
});

test('on a terminal it ticks and colours', async () => {
  const stage = setup(true);
  await performOn(stage);

  expect(stage.text()).toContain(`${ESCAPE}[32m✓`);
  expect(stage.text()).toContain(`${ESCAPE}[31m✗ second`);
});

test.each<[NodeJS.ProcessEnv, string]>([
  [{ NO_COLOR: '1' }, 'as no-color.org has it'],
  [{ TERM: 'dumb' }, 'it would print the codes'],
])('on a terminal with %j it ticks without colour: %s', async (env) => {
  const stage = setup(true, env);
  await performOn(stage);

  expect(stage.text()).not.toContain(ESCAPE);
  expect(stage.text()).toContain('✓ (1.5 s)');
});
