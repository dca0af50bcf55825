import { expect, test } from '@jest/globals';
import { commandLines } from './pages.ts';

test('the commands of a block are its lines, without comments', () => {
  const code = '# first\nkubectl apply -f a.yaml   # all\n\nhelm install x \\\n  --wait\n';
  expect(commandLines(code)).toEqual(['kubectl apply -f a.yaml   # all', 'helm install x --wait']);
});
