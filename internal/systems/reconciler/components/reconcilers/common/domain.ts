/**
 * The domain of a cluster of Gardener: its API server is `api.<domain>`.
 *
 * @param host of the API server, perhaps with its port
 */
export const domainOf = (host: string): string => new URL(`https://${host}`).hostname.replace(/^api\./, '');
