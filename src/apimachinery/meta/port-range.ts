// The node port range of Services.

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** "30000-32767" */
export const portRangeText = ({ first, last }: PortRange): string => `${first}-${last}`;

export const isPortIn = ({ first, last }: PortRange, port: number): boolean => port >= first && port <= last;
