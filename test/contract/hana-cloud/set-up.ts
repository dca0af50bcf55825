/** The client and the simulator, brought together over real TLS. */

import { setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import { afterEach, expect } from '@jest/globals';
import { createConcurrencyLimiter } from '../../../internal/framework/base/concurrency/concurrency-limiter.ts';
import { noFence } from '../../../internal/framework/base/concurrency/fence.ts';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import {
  createHanaCloud,
  type HanaCloud,
  type HanaCloudClient,
  type HanaCloudOptions,
  type NewInstanceMapping,
  type WriteOptions,
} from '../../../internal/systems/inventory/hana-cloud/client.ts';
import {
  type AdminCredentials,
  parseAdminCredentials,
} from '../../../internal/systems/inventory/hana-cloud/credentials.ts';
import { forFile } from '../../integration/harness/for-file.ts';
import { type HanaCloudSimulator, startHanaCloudSimulator } from '../../simulators/hana-cloud/simulator.ts';

export const instance = 'b1f0c9a2-7d6e-4b1a-9f5e-000000000001';

export const mapping: NewInstanceMapping = {
  platform: 'kubernetes',
  primaryID: 'cluster-1',
  secondaryID: 'shop',
  isDefault: false,
};

/** Afterwards no other server is trusted: with the certificates of Node, each client takes 10 ms of CPU to open. */
async function startSimulator(): Promise<HanaCloudSimulator> {
  const hostnames = ['hana.example.com', 'hana.test'];
  const simulator = await startHanaCloudSimulator({ instances: [instance], hostnames });
  setDefaultCACertificates([simulator.caCertificate]);
  return simulator;
}

/** As in production but for short waits and endpoints on loopback. */
export function openHanaCloud(options: Partial<HanaCloudOptions> = {}): HanaCloud {
  return createHanaCloud({
    ...createDeps({ random: () => 0.5 }),
    limiter: createConcurrencyLimiter(createDeps()),
    allowPrivateEndpoints: true,
    retryBackoffMs: 1,
    ...options,
  });
}

export function parsed(data: Record<string, string>): AdminCredentials {
  const result = parseAdminCredentials(data);
  if ('credentials' in result) return result.credentials;
  throw new Error(result.problems.map(({ text }) => text).join('; '));
}

/** For calls that are expected to succeed, possibly in a slow process. */
export function callOptions(): WriteOptions {
  return { signal: new AbortController().signal, fence: noFence };
}

export async function thrownBy(action: () => Promise<unknown>): Promise<Error> {
  try {
    await action();
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error(`what was thrown is no Error: ${inspect(error)}`);
  }
  throw new Error('nothing was thrown');
}

/**
 * The simulator of a test file, which is as new for each test, and what tests open: it is closed after them.
 *
 * @param mayViolate requests may be outside of the contract
 */
export function hanaCloudOfFile({ mayViolate = false } = {}) {
  const simulator = forFile(startSimulator);
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    if (!mayViolate) expect(simulator.violations()).toEqual([]);
    simulator.reset();
  });
  const open = (options: Partial<HanaCloudOptions> = {}): HanaCloud => {
    const hana = openHanaCloud(options);
    closers.push(hana.close);
    return hana;
  };
  /** A client with the credentials of `instance`. */
  const connect = async (
    options: Partial<HanaCloudOptions> = {},
    form: 'fields' | 'json' | 'x509' = 'fields',
  ): Promise<HanaCloudClient> => {
    const hana = open(options);
    const client = hana.connect(parsed((await simulator.credentials(instance))[form]));
    closers.unshift(client.close);
    return client;
  };
  return { simulator, closers, open, connect };
}
