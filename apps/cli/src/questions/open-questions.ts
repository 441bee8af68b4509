import { type components, type RunyardClient, unwrap } from '#libs/api-client';
import { allPages } from '../server/all-pages.js';

export type Question = components['schemas']['ApiQuestion'];
export type GivenAnswer = components['schemas']['SubmitAnswerRequest'];

/** A question with the run that asks it. */
export interface Asked {
  runId: string;
  question: Question;
}

/** What a run asks now, the oldest question first. */
export function readOpenQuestions(
  client: RunyardClient,
  runId: string,
  signal: AbortSignal | null = null,
): Promise<Question[]> {
  return allPages((page) =>
    unwrap(client.api.GET('/api/v1/runs/{id}/questions', { params: { path: { id: runId }, query: page }, signal })),
  );
}

/** What all runs ask now. */
export async function openQuestionsAnywhere(client: RunyardClient): Promise<Asked[]> {
  const query = { status: ['running', 'blocked'] as ('running' | 'blocked')[] };
  const runs = await allPages((page) =>
    unwrap(client.api.GET('/api/v1/runs', { params: { query: { ...query, ...page } } })),
  );
  const asking = runs.filter(({ current_question }) => current_question !== null);
  const asked = asking.map(async ({ id }) =>
    (await readOpenQuestions(client, id)).map((question) => ({ runId: id, question })),
  );
  return (await Promise.all(asked)).flat();
}

/**
 * Answers a question. Throws what the server says when it was not open, or does not take this answer. Whether an answer
 * arrived that was aborted under way is not known.
 */
export async function sendAnswer(
  client: RunyardClient,
  { runId, question }: Asked,
  body: GivenAnswer,
  signal: AbortSignal | null = null,
): Promise<void> {
  const path = { id: runId, qid: question.id };
  await unwrap(client.api.POST('/api/v1/runs/{id}/questions/{qid}/answer', { params: { path }, body, signal }));
}
