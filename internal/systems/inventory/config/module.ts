/** Provider configurations and their usages. */
import type { Module } from '../../../framework/module/module.ts';

export const configModule = {
  name: 'config',
  load: async () => (await import('./config.ts')).config,
} as const satisfies Module;
