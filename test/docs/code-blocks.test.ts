import { access, readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { parseAllDocuments } from 'yaml';
import { program } from '../../internal/program/program.ts';
import { allCodeBlocks, allInlineCode, commandLines } from './pages.ts';
import { type Invocation, invocationsIn } from './shell-words.ts';

const root = new URL('../../', import.meta.url);

const shell = await allCodeBlocks('sh');
/** A line of the log that resembles a command. */
const LOG_LINE = 'provider-kyma ends';

/** Those within sentences, without what only stands for something. */
const inline = (await allInlineCode())
  .filter(({ code }) => code !== LOG_LINE)
  .map((block) => ({ ...block, code: block.code.replace(/ ?….*$/, '') }));
const commands = [...shell, ...inline].flatMap(({ where, code }) =>
  invocationsIn(code).map((invocation) => ({ where, ...invocation })),
);
const calls = (name: Invocation['program']) => commands.filter((command) => command.program === name);

describe('make', () => {
  test('every target that a page names exists, and accepts the given variables', async () => {
    const makefile = await readFile(new URL('Makefile', root), 'utf8');
    const targets = new Set([...makefile.matchAll(/^([a-z0-9-]+):/gm)].map(([, target]) => target));
    const variables = new Set([...makefile.matchAll(/\$\((\w+)[):]/g)].map(([, name]) => name));
    const wrong = calls('make').flatMap(({ where, words }) =>
      words.flatMap((word) => {
        const [, variable] = /^(\w+)=/.exec(word) ?? [];
        const known = variable === undefined ? targets.has(word) : variables.has(variable);
        return known ? [] : [`${where}: ${word}`];
      }),
    );
    expect(calls('make').length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });
});

describe('provider-kyma', () => {
  const host = {
    env: {},
    stdout: { write: () => undefined },
    stderr: { write: () => undefined },
    on: () => undefined,
    removeListener: () => undefined,
    exit: () => undefined,
  };

  const flagsOf = (command: Command): Set<string> =>
    new Set(
      command
        .createHelp()
        .visibleOptions(command)
        .flatMap(({ long, short }) => [long, short].filter((flag) => flag !== undefined)),
    );

  /** What is not understood of a command line. */
  function problems(words: readonly string[]): string[] {
    const all = program(host);
    const [name] = words;
    // The program's name alone.
    if (name === undefined) return [];
    if (name.startsWith('-')) return words.filter((word) => !flagsOf(all).has(word));
    const outer = all.commands.find((one) => one.name() === name);
    if (outer === undefined) return [name];
    const command = outer.commands.find((one) => one.name() === words[1]) ?? outer;
    const flags = words.slice(1).filter((word) => word.startsWith('-') && word !== '-');
    return flags.map((flag) => flag.replace(/=.*$/, '')).filter((flag) => !flagsOf(command).has(flag));
  }

  test('every command and flag that a page names exists', () => {
    const wrong = calls('provider-kyma').flatMap(({ where, words }) =>
      problems(words).map((word) => `${where}: ${word} in provider-kyma ${words.join(' ')}`),
    );
    expect(calls('provider-kyma').length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });

  test.each([
    { words: ['explode'], wrong: ['explode'] },
    { words: ['plan', '--force'], wrong: ['--force'] },
    { words: ['doctor', '-x'], wrong: ['-x'] },
  ])('what does not exist is found: $words', ({ words, wrong }) => {
    expect(problems(words)).toEqual(wrong);
  });
});

/** Those that run until Ctrl-C. */
const FOREGROUND =
  /^(?:\w+=\S* )*(?:\S*provider-kyma (?:start|mothership start|component (?:start|test)) |make (?:demo|runtime|cluster|node)\b|kubectl \S*port-forward )|provider-kyma \S+ list .*--watch\b|^kubectl get .* (?:-w|--watch)\b/;

test('a command that runs until Ctrl-C is the last one of its block', () => {
  const lines = shell.flatMap(({ where, code }) =>
    commandLines(code).map((line, index, all) => ({ where, line, isLast: index === all.length - 1 })),
  );
  const foreground = lines.filter(
    ({ line }) => FOREGROUND.test(line) && !/--stop-after-migrate|ONCE=1/.test(line),
  );
  expect(foreground.length).toBeGreaterThan(10);
  expect(foreground.filter(({ isLast }) => !isLast)).toEqual([]);
});

test('output that is compared later has chosen columns: ages differ each time', () => {
  const compared = shell
    .flatMap(({ where, code }) => commandLines(code).map((line) => ({ where, line })))
    .filter(({ line }) => /^kubectl .*\bget\b.*(?:>\s*\S+\.txt|\| diff )/.test(line));
  expect(compared.length).toBeGreaterThan(3);
  expect(compared.filter(({ line }) => !line.includes('-o custom-columns='))).toEqual([]);
});

test('commands in a pod name its Deployment or Service: there may be several pods', () => {
  const targets = shell.flatMap(({ where, code }) =>
    [...code.matchAll(/^kubectl\b.*?\bexec\b(?: -n \S+)* (\S+)/gm)].map(([, target = '']) => ({
      where,
      target,
    })),
  );
  expect(targets.length).toBeGreaterThan(10);
  expect(targets.filter(({ target }) => !/^(deploy|service)[/]/.test(target))).toEqual([]);
});

test('every file of the repository that a command names exists', async () => {
  const missing: string[] = [];
  let named = 0;
  for (const { where, code } of shell) {
    for (const [path] of code.matchAll(/(?<![\w/.:-])(?:examples|package|hack|test|docs|bin)\/[\w./-]*/g)) {
      named++;
      await access(new URL(path, root)).catch(() => missing.push(`${where}: ${path}`));
    }
  }
  expect(named).toBeGreaterThan(5);
  expect(missing).toEqual([]);
});

test('YAML and JSON parse', async () => {
  const yaml = await allCodeBlocks('yaml');
  for (const { where, code } of yaml) {
    const errors = parseAllDocuments(code).flatMap((document) =>
      document.errors.map(({ message }) => message),
    );
    expect({ where, errors }).toEqual({ where, errors: [] });
  }
  const json = await allCodeBlocks('json');
  for (const { code } of json) expect(() => JSON.parse(code)).not.toThrow();
  expect(yaml.length).toBeGreaterThan(3);
});
