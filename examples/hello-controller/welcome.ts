/** A Welcome creates a Secret with a text for a guest, in the language from a ConfigMap of its namespace. */

import type { ReconciledKind, ReconcilerContext } from 'provider-kyma/controller';
import {
  DeniedError,
  done,
  hasFinalizer,
  mapped,
  ownedBy,
  removeFinalizer,
  storeFinalizer,
  validatingWebhook,
} from 'provider-kyma/controller';
import type { Informers, KubeObject } from 'provider-kyma/kube';
import { asController, configMaps, secrets, wasDeleted, withCondition } from 'provider-kyma/kube';
import { type Welcome, welcomes } from './apis/hello.example.org/v1/welcome.gen.ts';

const finalizer = 'hello.example.org/welcome';
const greetings = new Map(Object.entries({ en: 'Welcome', de: 'Willkommen', cs: 'Vítejte' }));

/** The ConfigMap that all welcomes of a namespace read. */
const SETTINGS = 'welcome-settings';
const selection = { fieldSelector: `metadata.name=${SETTINGS}` };
const settingsOf = (informers: Informers) => informers.of(configMaps, { selection });

/** Refuses objects that the schema cannot exclude. */
export const welcomeWebhook = validatingWebhook(welcomes, ({ object }) => {
  if (object?.spec.guest.trim() === '') throw new DeniedError('spec.guest: a guest has a name');
});

/** @param onFarewell called once for each welcome that is deleted, before its finalizer is removed */
export function welcomeKind(onFarewell: (guest: string) => void): ReconciledKind<Welcome> {
  return {
    type: welcomes,
    sources: (informers) => {
      const all = informers.of(welcomes);
      const welcomesOf = ({ metadata: { namespace } }: KubeObject) =>
        all
          .list()
          .flatMap(({ metadata: of }) => (of.namespace === namespace ? `${namespace}/${of.name}` : []));
      // A Secret that is changed or deleted by others is corrected at once.
      return [ownedBy(informers.metadataOf(secrets), welcomes), mapped(settingsOf(informers), welcomesOf)];
    },
    reconcile: async (copy, context) => {
      const { object } = copy;
      if (wasDeleted(object)) {
        if (hasFinalizer(object, finalizer)) onFarewell(object.spec.guest);
        await removeFinalizer(copy, finalizer, context.signal);
        return done;
      }
      await storeFinalizer(copy, finalizer, context);
      const settings = settingsOf(context.informers).get(`${object.metadata.namespace}/${SETTINGS}`);
      const greeting = greetings.get(settings?.data?.language ?? 'en') ?? 'Welcome';
      const text = `${greeting}, ${object.spec.guest}!`;
      await keepSecret(object, text, context);
      const ready = { type: 'Ready', status: 'True', reason: 'Welcomed' } as const;
      const conditions = withCondition(object.status?.conditions ?? [], ready, context.clock.now());
      object.status = { text, conditions };
      await copy.putStatus(context.signal);
      return done;
    },
  };
}

/** Server-side apply: creates the Secret or changes the fields that differ. Without a difference it writes nothing to etcd. */
async function keepSecret(welcome: Welcome, text: string, { client, signal, recorder }: ReconcilerContext) {
  const { name, namespace } = welcome.metadata;
  await client.apply(
    secrets,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, ownerReferences: [asController(welcome)] },
      data: { text: Buffer.from(text).toString('base64') },
    },
    { fieldManager: finalizer, force: true, signal },
  );
  if (welcome.status?.text !== text) recorder.record(welcome, 'Normal', 'Welcomed', text);
}
