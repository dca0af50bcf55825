import { expect, test } from '@jest/globals';
import { linesWith } from './lines-with.ts';

test.each([
  ['one in the middle', 'a=1\nb=2\nc=3\n', 'b=', ['b=2']],
  ['the first and the last', 'x 1\ny 2\nx 3\n', 'x', ['x 1', 'x 3']],
  ['one that contains it twice', 'x x\ny\n', 'x', ['x x']],
  ['one that ends with it', 'a x\nb\n', 'x', ['a x']],
  ['all, where the text is empty', 'a\nb\n', '', ['a', 'b']],
  ['none of a line that has no end yet', 'x 1\nx 2', 'x', ['x 1']],
  ['text of several bytes per character', 'é\nü x\n', 'ü', ['ü x']],
  ['nothing', '', '', []],
])('%s', (_title, content, text, lines) => {
  expect(linesWith(Buffer.from(content), text)).toEqual(lines);
});
