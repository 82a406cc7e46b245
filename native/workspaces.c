/* Memory that is reused by the blocks of all runs on the same judgments. */

#include "native.h"

#define LARGEST (1u << 20) /* rows for which memory is kept: a few times as many as in a block */

Workspace *take_workspace(Index *index)
{
    Workspace *workspace = index->spare;
    if (!workspace)
        return calloc(1, sizeof(Workspace));
    index->spare = workspace->next;
    Rows *rows = &workspace->rows;
    Count *count = &workspace->count;
    rows->n_rows = rows->n_stretches = rows->n_long = 0;
    count->n_rankings = count->n_hits = count->n_samples = count->n_sampled = count->n_sample_bytes = 0;
    count->n_disordered = count->n_tied = 0;
    return workspace;
}

static void free_workspace(Workspace *workspace)
{
    free_rows(&workspace->rows);
    free_count(&workspace->count);
    free(workspace);
}

void put_back(Index *index, Workspace *workspace)
{
    if (workspace->rows.most_rows > LARGEST) {
        free_workspace(workspace);
        return;
    }
    workspace->next = index->spare;
    index->spare = workspace;
}

void free_workspaces(Index *index)
{
    while (index->spare) {
        Workspace *workspace = index->spare;
        index->spare = workspace->next;
        free_workspace(workspace);
    }
}
