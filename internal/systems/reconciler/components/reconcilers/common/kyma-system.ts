/** The namespace of components of Kyma. */
export const KYMA_SYSTEM = 'kyma-system';
