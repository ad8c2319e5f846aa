/* A sparse layer's whole life on the host: prune dense weights into blocks, Y = W X, dX = W^T dY, dW at W's blocks, one
 * step, and W^T kept beside W. The results are checked against plain loops. sparse_layer_cuda.c has what differs on a
 * device.
 *
 *   cc sparse_layer.c $(pkg-config --cflags --libs bsblas) -o sparse_layer && ./sparse_layer */
#include <bsblas/bsblas.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Each call answers a status; the message says which argument was at fault, what it was and what was expected. */
#define CHECK(call)                                                                                  \
    do {                                                                                             \
        bsblasStatus_t status_ = (call);                                                             \
        if (status_ != BSBLAS_STATUS_SUCCESS) {                                                      \
            fprintf(stderr, "%s:%d: %s: %s\n%s\n", __FILE__, __LINE__, bsblasGetStatusName(status_), \
                    bsblasGetStatusString(status_), bsblasGetLastErrorMessage());                    \
            exit(EXIT_FAILURE);                                                                      \
        }                                                                                            \
    } while (0)

enum { OUT = 96, IN = 64, BATCH = 10, BLOCK = 16, BLOCK_ROWS = OUT / BLOCK, BLOCK_COLS = IN / BLOCK };

static void* allocate(size_t bytes) {
    void* memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "out of memory: %lu bytes\n", (unsigned long)bytes);
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* Multiples of 1/64 in -1 .. 1, so that all sums below are exact in f32. */
static void fill(float* values, size_t count, unsigned seed) {
    size_t i;
    for (i = 0; i < count; ++i) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = ((int)(seed >> 25) - 64) / 64.0f;
    }
}

static void require_equal(const char* what, const float* found, const float* expected, size_t count) {
    size_t i;
    for (i = 0; i < count; ++i)
        if (found[i] != expected[i]) {
            fprintf(stderr, "%s: element %lu is %g, not %g\n", what, (unsigned long)i, found[i], expected[i]);
            exit(EXIT_FAILURE);
        }
    printf("%-12s as expected\n", what);
}

int main(void) {
    static float weights[OUT * IN];                                                                  /* row-major */
    static float x[IN * BATCH], y[OUT * BATCH], dy[OUT * BATCH], dx[IN * BATCH], expected[OUT * IN]; /* column-major */
    const float one = 1.0f, zero = 0.0f;
    int32_t row_offsets[BLOCK_ROWS + 1], transposed_offsets[BLOCK_COLS + 1];
    int32_t *columns, *transposed_columns, *map;
    float *values, *gradient, *transposed_values;
    void *buffer, *analysis;
    size_t size;
    int64_t blocks = 0;
    int i, j, l;
    bsblasHandle_t handle;
    bsblasConstDnMatDescr_t dense, X, dY;
    bsblasDnMatDescr_t Y, dX;
    bsblasSpMatDescr_t W, dW, Wt;

    /* Half of the blocks are pruned away. */
    fill(weights, OUT * IN, 1);
    fill(x, IN * BATCH, 2);
    fill(dy, OUT * BATCH, 3);
    for (i = 0; i < OUT; ++i)
        for (j = 0; j < IN; ++j)
            if ((i / BLOCK + j / BLOCK) % 2) weights[i * IN + j] = 0.0f;

    CHECK(bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_HOST));

    /* Dense to BSR: count the blocks, make room, convert. */
    CHECK(bsblasCreateConstDnMat(&dense, OUT, IN, IN, weights, BSBLAS_R_32F, BSBLAS_ORDER_ROW));
    CHECK(bsblasCreateBsr(&W, BLOCK_ROWS, BLOCK_COLS, 0, BLOCK, BLOCK, row_offsets, NULL, NULL, BSBLAS_INDEX_32I,
                          BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW));
    CHECK(bsblasDenseToBsr_bufferSize(handle, dense, W, &size));
    buffer = allocate(size);
    CHECK(bsblasDenseToBsr_count(handle, dense, W, &blocks, buffer, size));
    free(buffer);
    columns = allocate((size_t)blocks * sizeof *columns);
    values = allocate((size_t)blocks * BLOCK * BLOCK * sizeof *values);
    CHECK(bsblasBsrSetPointers(W, blocks, row_offsets, columns, values));
    CHECK(bsblasDenseToBsr_bufferSize(handle, dense, W, &size));
    buffer = allocate(size);
    CHECK(bsblasDenseToBsr(handle, dense, W, NULL, buffer, size));
    free(buffer);
    printf("%d of %d blocks are stored\n", (int)blocks, BLOCK_ROWS * BLOCK_COLS);

    /* Forward: Y = W X. */
    CHECK(bsblasCreateConstDnMat(&X, IN, BATCH, IN, x, BSBLAS_R_32F, BSBLAS_ORDER_COL));
    CHECK(bsblasCreateDnMat(&Y, OUT, BATCH, OUT, y, BSBLAS_R_32F, BSBLAS_ORDER_COL));
    CHECK(bsblasSpMM_bufferSize(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, W, X, Y, NULL, &size));
    buffer = allocate(size);
    CHECK(bsblasSpMM(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, &one, W, X, &zero, Y, NULL, buffer, size));
    free(buffer);
    for (i = 0; i < OUT; ++i)
        for (j = 0; j < BATCH; ++j) {
            float sum = 0.0f;
            for (l = 0; l < IN; ++l) sum += weights[i * IN + l] * x[l + j * IN];
            expected[i + j * OUT] = sum;
        }
    require_equal("Y = W X", y, expected, OUT * BATCH);

    /* Backward: dX = W^T dY. The analysis keeps the transposed index, which each call would else make in its buffer. */
    CHECK(bsblasBsrAnalyze_bufferSize(handle, W, &size));
    analysis = allocate(size);
    CHECK(bsblasBsrAnalyze(handle, W, analysis, size));
    CHECK(bsblasCreateConstDnMat(&dY, OUT, BATCH, OUT, dy, BSBLAS_R_32F, BSBLAS_ORDER_COL));
    CHECK(bsblasCreateDnMat(&dX, IN, BATCH, IN, dx, BSBLAS_R_32F, BSBLAS_ORDER_COL));
    CHECK(bsblasSpMM_bufferSize(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_T, BSBLAS_OP_N, W, dY, dX, NULL, &size));
    buffer = allocate(size);
    CHECK(bsblasSpMM(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_T, BSBLAS_OP_N, &one, W, dY, &zero, dX, NULL, buffer, size));
    free(buffer);
    for (i = 0; i < IN; ++i)
        for (j = 0; j < BATCH; ++j) {
            float sum = 0.0f;
            for (l = 0; l < OUT; ++l) sum += weights[l * IN + i] * dy[l + j * OUT];
            expected[i + j * IN] = sum;
        }
    require_equal("dX = W^T dY", dx, expected, IN * BATCH);

    /* Gradient of the weights, at W's blocks only: dW = dY X^T. It shares W's pattern and has values of its own. */
    gradient = allocate((size_t)blocks * BLOCK * BLOCK * sizeof *gradient);
    CHECK(bsblasCreateBsr(&dW, BLOCK_ROWS, BLOCK_COLS, blocks, BLOCK, BLOCK, row_offsets, columns, gradient,
                          BSBLAS_INDEX_32I, BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F, BSBLAS_ORDER_ROW));
    CHECK(bsblasSDDMM_bufferSize(handle, BSBLAS_OP_N, BSBLAS_OP_T, dY, X, dW, NULL, &size));
    buffer = allocate(size);
    CHECK(bsblasSDDMM(handle, BSBLAS_OP_N, BSBLAS_OP_T, &one, dY, X, &zero, dW, NULL, buffer, size));
    free(buffer);
    for (i = 0; i < BLOCK_ROWS; ++i) {
        int slot, r, c;
        for (slot = row_offsets[i]; slot < row_offsets[i + 1]; ++slot)
            for (r = 0; r < BLOCK; ++r)
                for (c = 0; c < BLOCK; ++c) {
                    float sum = 0.0f;
                    for (l = 0; l < BATCH; ++l)
                        sum += dy[i * BLOCK + r + l * OUT] * x[columns[slot] * BLOCK + c + l * IN];
                    expected[(slot * BLOCK + r) * BLOCK + c] = sum;
                }
    }
    require_equal("dW = dY X^T", gradient, expected, (size_t)blocks * BLOCK * BLOCK);

    /* W^T as a matrix of its own, with the map that refreshes its values after a step on W. */
    transposed_columns = allocate((size_t)blocks * sizeof *transposed_columns);
    transposed_values = allocate((size_t)blocks * BLOCK * BLOCK * sizeof *transposed_values);
    map = allocate((size_t)blocks * sizeof *map);
    CHECK(bsblasCreateBsr(&Wt, BLOCK_COLS, BLOCK_ROWS, blocks, BLOCK, BLOCK, transposed_offsets, transposed_columns,
                          transposed_values, BSBLAS_INDEX_32I, BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F,
                          BSBLAS_ORDER_ROW));
    CHECK(bsblasBsrTranspose_bufferSize(handle, BSBLAS_OP_T, W, Wt, &size));
    buffer = allocate(size);
    CHECK(bsblasBsrTranspose(handle, BSBLAS_OP_T, W, Wt, map, buffer, size));
    free(buffer);
    for (i = 0; i < blocks * BLOCK * BLOCK; ++i) values[i] -= 0.25f * gradient[i];
    CHECK(bsblasBsrTransposeValues(handle, BSBLAS_OP_T, W, Wt, map));

    /* Both ways to W^T dY agree; the analysis of W still holds, since its pattern did not change. */
    CHECK(bsblasSpMM_bufferSize(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_T, BSBLAS_OP_N, W, dY, dX, NULL, &size));
    buffer = allocate(size);
    CHECK(bsblasSpMM(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_T, BSBLAS_OP_N, &one, W, dY, &zero, dX, NULL, buffer, size));
    free(buffer);
    for (i = 0; i < IN * BATCH; ++i) expected[i] = dx[i];
    CHECK(bsblasSpMM_bufferSize(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, Wt, dY, dX, NULL, &size));
    buffer = allocate(size);
    CHECK(bsblasSpMM(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, &one, Wt, dY, &zero, dX, NULL, buffer, size));
    free(buffer);
    for (i = 0; i < IN * BATCH; ++i)
        if (fabsf(dx[i] - expected[i]) > 1e-4f) {
            fprintf(stderr, "after the step: element %d is %g by W^T and %g by op T\n", i, dx[i], expected[i]);
            return EXIT_FAILURE;
        }
    printf("%-12s as expected\n", "W^T");

    /* A contradiction is refused, and nothing is written. */
    if (bsblasSpMM(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, &one, W, dY, &zero, Y, NULL, NULL, 0) !=
        BSBLAS_STATUS_INVALID_VALUE)
        return EXIT_FAILURE;
    printf("a refusal: %s\n", bsblasGetLastErrorMessage());

    /* Descriptors own nothing: the arrays are the caller's to free. */
    CHECK(bsblasDestroySpMat(W));
    CHECK(bsblasDestroySpMat(dW));
    CHECK(bsblasDestroySpMat(Wt));
    CHECK(bsblasDestroyDnMat(dense));
    CHECK(bsblasDestroyDnMat(X));
    CHECK(bsblasDestroyDnMat(Y));
    CHECK(bsblasDestroyDnMat(dX));
    CHECK(bsblasDestroyDnMat(dY));
    CHECK(bsblasDestroy(handle));
    free(analysis);
    free(columns);
    free(values);
    free(gradient);
    free(transposed_columns);
    free(transposed_values);
    free(map);
    return EXIT_SUCCESS;
}
