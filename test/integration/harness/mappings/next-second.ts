import { setTimeout as sleep } from 'node:timers/promises';

/** Waits so that the next resource is younger: resources of one second are equally old, and their uids decide. */
export const nextSecond = (): Promise<void> => sleep(1100);
