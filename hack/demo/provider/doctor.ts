import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { ProviderCommand } from './provider-command.ts';

export interface DoctorReport {
  readonly exitCode: number | null;
  readonly text: string;
}

/** Runs `provider-kyma doctor` for a mapping. */
export type Doctor = (mapping: string) => Promise<DoctorReport>;

export interface DoctorOptions {
  readonly command: ProviderCommand;
  readonly kubeconfigPath: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export const doctorArguments = (mapping: string, kubeconfigPath: string): string[] => [
  'doctor',
  mapping,
  '--kubeconfig',
  kubeconfigPath,
  '--allow-private-endpoints',
];

export function createDoctor({ command, kubeconfigPath, env, signal }: DoctorOptions): Doctor {
  return async (mapping) => {
    const args = [...command.args, ...doctorArguments(mapping, kubeconfigPath)];
    const child = spawn(command.file, args, { env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, errors, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { exitCode, text: `${output}${errors}` };
  };
}
