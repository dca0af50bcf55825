import { WaitingError } from '../../base/index.ts';
import { available, type ExternalClient, type Managed, type ManagedKind, setConditions } from '../index.ts';

export interface Bucket extends Managed {
  spec: Managed['spec'] & { forProvider: { versioning?: boolean } };
  status?: Managed['status'] & { atProvider?: { versioning: boolean; objects: number } };
}

/** The external API: a storage service with buckets by name. */
export interface Storage {
  online(): boolean;
  find(name: string): { versioning: boolean; objects: number } | undefined;
  put(name: string, settings: { versioning: boolean }): void;
  drop(name: string): void;
}

export function bucketKind(storage: Storage): ManagedKind<Bucket> {
  return {
    type: {
      group: 'storage.example.org',
      version: 'v1',
      kind: 'Bucket',
      plural: 'buckets',
      namespaced: true,
    },
    connector: {
      connect: async () => {
        if (!storage.online()) throw new WaitingError('the storage service does not answer', { retry: true });
        return bucketClient(storage);
      },
    },
    // A bucket is identified by its name, so Observe finds the result of a lost Create.
    deterministicExternalName: true,
    observeAfterCreate: true,
    creationGracePeriodMs: 0,
  };
}

function bucketClient(storage: Storage): ExternalClient<Bucket> {
  const wanted = (bucket: Bucket) => ({ versioning: bucket.spec.forProvider.versioning ?? false });
  const put = async (bucket: Bucket) => {
    storage.put(bucket.metadata.name, wanted(bucket));
    return {};
  };
  return {
    observe: async (bucket, { clock }) => {
      const found = storage.find(bucket.metadata.name);
      if (found === undefined) return { state: 'absent' };
      bucket.status = { ...bucket.status, atProvider: found };
      setConditions(bucket, clock, available());
      const { versioning } = wanted(bucket);
      if (found.versioning === versioning) return { state: 'present', upToDate: true };
      const diff = `versioning is ${found.versioning}, should be ${versioning}`;
      return { state: 'present', upToDate: false, diff };
    },
    create: put,
    update: put,
    delete: async (bucket) => {
      storage.drop(bucket.metadata.name);
      return {};
    },
  };
}
