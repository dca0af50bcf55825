import { takeForTeardown } from './teardown-registry.ts';

/** Ends what global-setup.ts started. A killed run needs no teardown: each plane has a watchdog. */
export default async function globalTeardown(): Promise<void> {
  await Promise.all(takeForTeardown().map((started) => started.stop()));
}
