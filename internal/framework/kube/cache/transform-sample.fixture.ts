/** As the API server sends it. */
export const objectText = (index: number) =>
  JSON.stringify({
    apiVersion: 'example.org/v1',
    kind: 'SomethingWithALongName',
    metadata: {
      name: `sample-${index}`,
      uid: `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`,
      labels: { 'example.org/team': 'the-team-that-has-all-of-them' },
      managedFields: [{ manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:spec': {} } }],
      finalizers: ['finalizer.managedresource.crossplane.io'],
    },
    status: {
      conditions: ['Ready', 'Synced'].map((type) => ({
        type,
        status: 'True',
        reason: 'ReconcileSuccess',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    },
  });
