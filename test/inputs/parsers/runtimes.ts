/** Runtimes that the API server accepts, and documents inside of Shoots. */

import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { Shoot } from '../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { parseConfiguration } from '../../../internal/framework/base/configuration/configuration.ts';
import { isObject } from '../../../internal/framework/base/json/json-value.ts';
import { converterConfigurationOf } from '../../../internal/systems/infrastructure-manager/configuration/configuration.ts';
import { createShootRendering } from '../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import {
  configurationOf,
  pool,
  runtimeOf,
  tenant,
  zonesOf,
} from '../../contract/gardener/rendering/choices.ts';
import { PROVIDERS, type ProviderType } from '../../environment/gardener/catalog.ts';
import { damagedText, damagedValue } from '../arbitraries/damaged.ts';
import { jsonText } from '../arbitraries/hostile.ts';
import { foreignInput } from '../foreign-input.ts';

const CRD = 'infrastructure-manager/chart/files/crds/infrastructuremanager.kyma-project.io_runtimes.yaml';
const crd = parse(readFileSync(new URL(`../../../package/${CRD}`, import.meta.url), 'utf8'));
const { properties } = crd.spec.versions[0].schema.openAPIV3Schema;
const acceptsSpec = new Ajv({ strict: false, validateFormats: false, logger: false }).compile(
  properties.spec,
);

const rendering = createShootRendering(configurationOf('kyma'));
const ofProvider = (type: ProviderType): Runtime => {
  const zones = zonesOf(type).slice(0, 2);
  return runtimeOf(type, 'one', [pool(type, zones), pool(type, zones.slice(1), { name: 'two' })]);
};

/** With a spec that the API server accepts. */
const damagedRuntime = (type: ProviderType): fc.Arbitrary<Runtime> =>
  damagedValue(ofProvider(type).spec)
    .filter((spec) => acceptsSpec(spec))
    .map((spec) => ({ ...ofProvider(type), spec }) as Runtime);

/** Of a Shoot, with a document of the provider that others wrote. */
const damagedShoot = (type: ProviderType): fc.Arbitrary<Shoot> => {
  const shoot = rendering.create(ofProvider(type), { audit: tenant });
  const { spec } = shoot;
  if (spec === undefined) throw new Error('a Shoot without spec');
  return damagedValue(spec.provider.infrastructureConfig)
    .filter(isObject)
    .map((infrastructureConfig) => ({
      ...shoot,
      spec: { ...spec, provider: { ...spec.provider, infrastructureConfig: { ...infrastructureConfig } } },
    }));
};

const { auditTenants: _, maintenanceWindows: __, warnings: ___, ...file } = configurationOf('kyma');
/** The parser of YAML does not take linear time. */
const isShort = (text: string) => text.length <= 4096;

export const runtimeInputs = [
  foreignInput({
    name: 'a Runtime whose Shoot is rendered',
    inputs: fc.constantFrom(...PROVIDERS).chain(damagedRuntime),
    read: (runtime) => void rendering.create(runtime, { audit: tenant }),
  }),
  foreignInput({
    name: 'a Runtime and its Shoot',
    inputs: fc.constantFrom(...PROVIDERS).chain((type) => fc.tuple(damagedRuntime(type), damagedShoot(type))),
    read: ([runtime, shoot]) => void rendering.patch(runtime, shoot, { audit: tenant }),
  }),
  foreignInput({
    name: 'the converter configuration',
    inputs: damagedText(damagedValue(file).map(jsonText)).filter(isShort),
    read: (text) => void converterConfigurationOf(parseConfiguration(text, 'file.json')),
  }),
];
