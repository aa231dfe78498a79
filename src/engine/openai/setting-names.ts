/** What the settings of a server are called where the user can change them; hints name them. */
export interface SettingNames {
  readonly baseUrl: string;
  readonly apiKeyVariable: string;
  readonly concurrency: string;
  readonly maxTokens: string;
  readonly temperature: string;
  readonly topP: string;
}

export const commandLineNames: SettingNames = {
  baseUrl: "--base-url",
  apiKeyVariable: "--api-key-env",
  concurrency: "--concurrency",
  maxTokens: "--max-tokens",
  temperature: "--temperature",
  topP: "--top-p",
};
