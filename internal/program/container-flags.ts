import { readFileSync } from 'node:fs';
import { environmentTwin, type FlagTable } from '../framework/process/flag.ts';

/**
 * A command that runs beside the provider in its container (`kubectl exec POD -- provider-kyma doctor …`) has the flags of the provider:
 * the environment, with the variable of each flag that is an argument of the container. Variables that are set remain.
 *
 * @param commandLine of the container's first process: words that end with NUL; undefined if it cannot be read
 */
export function withContainerFlags(
  env: NodeJS.ProcessEnv,
  flags: FlagTable,
  commandLine: string | undefined,
): NodeJS.ProcessEnv {
  const words = commandLine?.split('\0') ?? [];
  const start = words.indexOf('start');
  if (!words.some((word) => word.endsWith('provider-kyma.mjs')) || start < 0) return env;
  const set: Record<string, string> = {};
  for (const [index, word] of words.entries()) {
    const [, no, name = '', value] = /^--?(no-)?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const flag = index > start ? flags[name] : undefined;
    if (flag === undefined) continue;
    const variable = environmentTwin(name, flag);
    const next = words[index + 1] ?? '';
    // As the parser of `start` takes the next word.
    const separate = flag.type === 'boolean' && /^(-|$)/.test(next) ? 'true' : next;
    set[variable] = no === undefined ? (value ?? separate) : 'false';
  }
  return { ...set, ...env };
}

/** The command line of the first process in the container; undefined outside of a pod. */
export function containerCommandLine(env: NodeJS.ProcessEnv): string | undefined {
  if (env.KUBERNETES_SERVICE_HOST === undefined) return undefined;
  try {
    return readFileSync('/proc/1/cmdline', 'utf8');
  } catch {
    return undefined;
  }
}
