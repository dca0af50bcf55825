/** The bundler replaces it with the version of package.json; `dev` when run from sources. */
export const version: string = process.env.PROVIDER_KYMA_VERSION ?? 'dev';
