import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { boundsOf, environmentTwin, type Flag } from '../../internal/framework/process/flag.ts';
import { startGroups } from '../../internal/program/provider/flags.ts';

const page = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
const groups = startGroups().map(({ heading, flags }) => {
  const [, module] = /^Options of the (module .*):$/.exec(heading) ?? [];
  return { section: `Flags of the ${module ?? 'program'}`, flags };
});

/** The rows of flags of a section. */
function rowsOf(section: string) {
  const text = page.split(`## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = text.split('\n').filter((line) => line.startsWith('| `--'));
  return rows.map((row) => {
    const [, flags = '', env = '', value = '', bounds = ''] = row.split('|').map((cell) => cell.trim());
    return {
      flag: /--([a-z-]+)/.exec(flags)?.[1] ?? '',
      env: /`([A-Z_]+)`/.exec(env)?.[1],
      value,
      bounds,
    };
  });
}

/** Undefined: the environment decides, which the page describes in words. */
function defaultOf(name: string, flag: Flag): string | undefined {
  const byEnvironment = ['leader-election', 'webhook-tls-cert-dir'];
  if (flag.default === '' || byEnvironment.includes(name)) return undefined;
  return `\`${flag.type === 'duration' ? flag.defaultText : flag.default}\``;
}

test.each(groups)(
  '$section: the page has each flag with variable, default and bounds, and no other',
  (group) => {
    const known = Object.entries<Flag>(group.flags);
    const listed = rowsOf(group.section);
    expect(listed.map(({ flag }) => flag).sort()).toEqual(known.map(([name]) => name).sort());
    for (const [name, flag] of known) {
      const row = listed.find((each) => each.flag === name);
      const value = defaultOf(name, flag) ?? row?.value;
      expect(row).toEqual({ flag: name, env: environmentTwin(name, flag), value, bounds: boundsOf(flag) });
    }
  },
);

test('every section of flags is that of the program or of a module', () => {
  const sections = [...page.matchAll(/^## (Flags of .*)$/gm)].map(([, section]) => section);
  expect(sections).toEqual(groups.map(({ section }) => section));
});
