import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import type { ProcessLike } from '../../internal/framework/module/console/process-like.ts';
import { plain, shown } from '../../internal/framework/module/console/shown.ts';
import { review } from '../../internal/program/doctor/before-uninstall.fixture.ts';
import { formatReview } from '../../internal/program/doctor/before-uninstall.ts';
import { doctorExitCodes } from '../../internal/program/doctor/doctor.ts';
import { creation } from '../../internal/program/plan/plan.fixture.ts';
import { formatPlan, planExitCodes } from '../../internal/program/plan/run-plan.ts';
import { program, run } from '../../internal/program/program.ts';
import { cleanupExitCodes } from '../../internal/systems/btp/cleanup/cleanup-flags.ts';
import { renderExitCodes } from '../../internal/systems/btp/commands/template/render-flags.ts';
import { discoverExitCodes } from '../../internal/systems/inventory/discovery/run-discover.ts';
import { reconcilerExitCodes } from '../../internal/systems/reconciler/commands/reconciler/run-command.ts';

import { allPages } from './pages.ts';

const file = new URL('../../docs/cli.md', import.meta.url);

function hostOf(write: (text: string) => unknown): ProcessLike {
  return {
    env: {},
    stdout: { write },
    stderr: { write },
    on: () => undefined,
    removeListener: () => undefined,
    exit: () => undefined,
  };
}

async function helpOf(command: string): Promise<string> {
  const written: string[] = [];
  await run(
    hostOf((text) => written.push(text)),
    [...command.split(' '), '--help'],
  );
  return written.join('').trimEnd();
}

/** `btp cleanup`: the names of the visible commands with an action. */
function namesOfLeaves(command: Command): string[] {
  const inner = command.commands.filter((each) => !each.name().startsWith('_'));
  return inner.flatMap((each) =>
    each.commands.length === 0 ? [each.name()] : namesOfLeaves(each).map((name) => `${each.name()} ${name}`),
  );
}

/** Where the page has the help of a command. */
const blockOf = (command: string, help: string) => `<!-- help: ${command} -->\n\n\`\`\`\n${help}\n\`\`\`\n`;
const anyBlock = /<!-- help: ([\w -]+?) -->\n(?:\n```\n[\s\S]*?\n```\n)?/g;

/** `UPDATE_DOCS=1 npm run test:unit -- test/docs/cli` writes the output of the commands into the page. */
const updating = process.env.UPDATE_DOCS === '1';

test('the page has the help of each command as the command prints it', async () => {
  let page = await readFile(file, 'utf8');
  const commands = [...page.matchAll(anyBlock)].map(([, command = '']) => command);
  const helps = new Map<string, string>();
  for (const command of commands) helps.set(command, await helpOf(command));
  if (updating) {
    page = page.replace(anyBlock, (_, command: string) => blockOf(command, helps.get(command) ?? ''));
    await writeFile(file, page);
  }
  // `start` is on the page of its flags; `completion` has an argument only.
  const documented = namesOfLeaves(program(hostOf(() => undefined))).filter(
    (name) => !['start', 'completion'].includes(name),
  );
  expect([...commands].sort()).toEqual(documented.sort());
  for (const [command, help] of helps) {
    expect(help).not.toBe('');
    expect(page).toContain(blockOf(command, help));
  }
});

test('every command has a section, and no other has', async () => {
  const page = await readFile(file, 'utf8');
  const commands = program(hostOf(() => undefined))
    .commands.filter((command: Command) => !command.name().startsWith('_'))
    .map((command: Command) => command.name());
  const sections = [...page.matchAll(/^## (\S+)$/gm)].map(([, title = '']) => title.toLowerCase());
  expect(sections.sort()).toEqual(commands.sort());
});

test.each([
  { command: 'plan', codes: planExitCodes },
  { command: 'discover', codes: discoverExitCodes },
  { command: 'btp', subcommand: ' cleanup', codes: cleanupExitCodes },
  { command: 'doctor', codes: doctorExitCodes },
  { command: 'template', subcommand: ' render', codes: renderExitCodes },
  { command: 'clusters', subcommand: ' list', codes: reconcilerExitCodes },
  { command: 'reconciliations', subcommand: ' list', codes: reconcilerExitCodes },
  { command: 'operations', subcommand: ' stop', codes: reconcilerExitCodes },
  { command: 'rollouts', subcommand: ' list', codes: reconcilerExitCodes },
])('the exit codes of $command are those of the code', async ({ command, subcommand = '', codes }) => {
  const page = await readFile(file, 'utf8');
  const section = page.split(`\n## ${command}\n`)[1]?.split('\n## ')[0] ?? '';
  const table = section.split('| exit code | meaning |')[1] ?? '';
  const listed = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values(codes).sort());
  const help = /Exit codes: (.*)/s.exec(await helpOf(command + subcommand))?.[1] ?? '';
  for (const code of listed) expect(help).toMatch(new RegExp(`\\b${code} `));
});

test('the page has the outputs that the commands print', async () => {
  const page = await readFile(file, 'utf8');
  expect(page).toContain(`plan -f mappings.yaml\n${formatPlan(shown(creation), plain)}`);
  expect(page).toContain(`doctor --before-uninstall\n${formatReview(shown(review), plain)}`);
});

test('each page that tells to run doctor shows how to run it in the pod, or links to it', async () => {
  const elsewhere = /^docs\/(README|reliability|decisions\/.*)\.md$/;
  const pages = (await allPages()).filter(({ path }) => /^(README|docs\/|examples\/)/.test(path));
  const mentioning = pages.filter(({ path, text }) => /\bdoctor\b.*/.test(text) && !elsewhere.test(path));
  expect(mentioning.length).toBeGreaterThan(15);
  const form = /cli\.md#doctor-in-the-cluster|kubectl .*exec .* -- provider-kyma doctor/;
  expect(mentioning.filter(({ text }) => !form.test(text)).map(({ path }) => path)).toEqual([]);
});
