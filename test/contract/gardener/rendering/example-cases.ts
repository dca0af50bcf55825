import { readdirSync, readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { parse } from 'yaml';
import { shoots } from '../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { configMaps } from '../../../../internal/framework/kube/index.ts';
import { createShootRendering } from '../../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import { type ContractCase, uniqueShootName } from '../contract-case.ts';
import { configurationOf, tenant } from './choices.ts';
import { asKnownTo } from './create-cases.ts';

const FOLDER = new URL('../../../../examples/runtime/', import.meta.url);

/** A Runtime of each plan of the broker, as it writes them today. */
const runtimeIn = (file: string): Runtime => parse(readFileSync(new URL(file, FOLDER), 'utf8'));

/** Each example, with what administrators can configure. */
export const exampleCases: readonly ContractCase[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => ({
    title: `a Shoot of the example ${file}`,
    run: async (server) => {
      const { spec, ...runtime } = runtimeIn(file);
      if (spec === undefined) throw new Error('a Runtime has a spec');
      const named = { ...runtime, spec: { ...spec, shoot: { ...spec.shoot, name: uniqueShootName() } } };
      const rendering = createShootRendering(
        configurationOf(server.project, { enableCredentialBinding: true }),
      );
      const accessControl = { operators: ['198.51.100.0/24'], controlPlane: '203.0.113.7/32' };
      const shoot = rendering.create(named, { audit: tenant, accessControl });
      await server.client.create(configMaps, rendering.authenticationConfig(named));
      const accepted = await server.client.create(shoots, shoot, { dryRun: true });
      expect(accepted).toMatchObject(asKnownTo(accepted, shoot));
    },
  }));
