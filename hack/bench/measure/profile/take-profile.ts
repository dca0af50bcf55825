import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Profile } from '../../measurement.ts';
import type { MeasuredProcess } from '../measured-process.ts';
import { summarizeProfile } from './cpu-profile.ts';
import { createSourceLocator } from './locate-source.ts';

export interface ProfileOptions {
  readonly title: string;
  /** Duration of the profile. */
  readonly ms: number;
  /** The whole profile is kept as `<name>.cpuprofile` in `dist`, for the tools that show one. */
  readonly name: string;
  readonly directory: string;
  readonly dist: string;
}

const ROOT = join(import.meta.dirname, '../../../..');
const TOP = 25;

/** Where the process spends the coming `ms`. Profiling slows it down: figures are taken before. */
export async function takeProfile(process: MeasuredProcess, options: ProfileOptions): Promise<Profile> {
  const { title, ms, name, directory, dist } = options;
  const file = join(directory, `${name}.cpuprofile`);
  await process.profile(ms, file);
  await copyFile(file, join(dist, `bench-${name}.cpuprofile`));
  const profile = JSON.parse(await readFile(file, 'utf8'));
  return { title, ...summarizeProfile(profile, createSourceLocator(ROOT), TOP) };
}
