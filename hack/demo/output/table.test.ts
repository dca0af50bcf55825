import { expect, test } from '@jest/globals';
import { renderTable } from './table.ts';

test('columns are as wide as their widest cell, and lines have no trailing space', () => {
  const table = renderTable(
    ['NAME', 'READY', 'SECONDS'],
    [
      ['orders', 'True', '0.3'],
      ['a-longer-name', '', '12.0'],
    ],
  );

  expect(table.split('\n')).toEqual([
    'NAME           READY  SECONDS',
    'orders         True   0.3',
    'a-longer-name         12.0',
  ]);
});

test('a table without rows is its header', () => {
  expect(renderTable(['A', 'B'], [])).toBe('A  B');
});
