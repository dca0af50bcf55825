#!/usr/bin/env node
/** `provider-kyma-kit`: what an author of a provider runs in the folder of the project. A command loads its code on demand. */
import { type KitCommand, KitError, reportOf, requireNode } from './kit-command.ts';

const commands: Readonly<Record<string, { readonly effect: string; load(): Promise<KitCommand> }>> = {
  init: {
    effect: 'a project from an OpenAPI document, with a verdict for each of its collections',
    load: async () => (await import('./init/init.ts')).initCommand,
  },
  generate: {
    effect: 'CRDs, types, kinds, their tests, pages and examples from provider.yaml and the OpenAPI document',
    load: async () => (await import('./generate/generate.ts')).generateCommand,
  },
  dev: {
    effect: 'an API server, a simulator of the API and the provider, again after each change',
    load: async () => (await import('./dev/dev.ts')).devCommand,
  },
  test: {
    effect: 'tests of all kinds that follow from their definitions',
    load: async () => (await import('./test/test.ts')).testCommand,
  },
  eject: {
    effect: 'makes a generated kind one that is written by hand, with the same tests',
    load: async () => (await import('./eject/eject.ts')).ejectCommand,
  },
  package: {
    effect: 'bundle, runtime image, Crossplane package and bill of materials, without Docker',
    load: async () => (await import('./package/package.ts')).packageCommand,
  },
  monitoring: {
    effect: 'dashboard and alerts of a provider that is written by hand',
    load: async () => (await import('./monitoring/monitoring.ts')).monitoringCommand,
  },
  upgrade: {
    effect: 'a project after a new version of the library, or with a new document',
    load: async () => (await import('./upgrade/upgrade.ts')).upgradeCommand,
  },
};

const width = Math.max(...Object.keys(commands).map((name) => name.length)) + 2;
const usage = `Usage: provider-kyma-kit <command> [options]

${Object.entries(commands)
  .map(([name, { effect }]) => `  ${name.padEnd(width)}${effect}`)
  .join('\n')}

provider-kyma-kit <command> --help describes the options.`;

/** What files and folders of the project refuse; the message names them. */
const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

async function main([name = '--help', ...args]: string[]): Promise<boolean> {
  if (name === '--help' || name === '-h') {
    console.log(usage);
    return true;
  }
  requireNode(process.versions.node);
  const command = Object.hasOwn(commands, name) ? await commands[name]?.load() : undefined;
  if (command === undefined) throw new KitError(`unknown command ${name}\n\n${usage}`);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(command.usage);
    return true;
  }
  return command.run(args);
}

try {
  if (!(await main(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof KitError) && !isSystemError(error)) throw error;
  console.error(reportOf(error));
  process.exitCode = 1;
}
