/* What differs on a device: arrays and buffers are device memory, work goes to a stream, and the program waits for it.
 * A sparse layer's forward pass and the gradient of its weights, with 2 of its 4 blocks stored.
 *
 *   cc sparse_layer_cuda.c $(pkg-config --cflags --libs bsblas) -I$CUDA/include -L$CUDA/lib64 -lcudart */
#include <bsblas/bsblas.h>

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        bsblasStatus_t status_ = (call);                                                             \
        if (status_ != BSBLAS_STATUS_SUCCESS) {                                                      \
            fprintf(stderr, "%s:%d: %s: %s\n%s\n", __FILE__, __LINE__, bsblasGetStatusName(status_), \
                    bsblasGetStatusString(status_), bsblasGetLastErrorMessage());                    \
            exit(EXIT_FAILURE);                                                                      \
        }                                                                                            \
    } while (0)

#define CHECK_CUDA(call)                                                                    \
    do {                                                                                    \
        cudaError_t error_ = (call);                                                        \
        if (error_ != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            exit(EXIT_FAILURE);                                                             \
        }                                                                                   \
    } while (0)

enum { SIZE = 64, BATCH = 8, BLOCK = 32, BLOCKS = 2, SKIPPED = 77 };

static void* device_buffer(size_t bytes) {
    void* memory = NULL;
    if (bytes) CHECK_CUDA(cudaMalloc(&memory, bytes));
    return memory;
}

static void* to_device(const void* from, size_t bytes) {
    void* memory = device_buffer(bytes);
    CHECK_CUDA(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice));
    return memory;
}

int main(void) {
    /* W = [ 0 W0 ; W1 0 ], each block full of its number: 1 and 2. */
    const int32_t row_offsets[] = {0, 1, 2}, columns[] = {1, 0};
    static float values[BLOCKS * BLOCK * BLOCK], x[SIZE * BATCH], y[SIZE * BATCH];
    const float one = 1.0f, zero = 0.0f;
    void *device_offsets, *device_columns, *device_values, *device_x, *device_y, *device_gradient, *buffer;
    size_t size;
    int i, j;
    cudaStream_t stream;
    bsblasStatus_t status;
    bsblasHandle_t handle;
    bsblasConstSpMatDescr_t W;
    bsblasSpMatDescr_t dW;
    bsblasConstDnMatDescr_t X;
    bsblasDnMatDescr_t Y;

    status = bsblasCreateWithBackend(&handle, BSBLAS_BACKEND_CUDA);
    if (status == BSBLAS_STATUS_NOT_AVAILABLE) {
        printf("no CUDA device: %s\n", bsblasGetLastErrorMessage());
        return SKIPPED;
    }
    CHECK(status);
    CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK(bsblasSetStream(handle, stream));

    for (i = 0; i < BLOCKS * BLOCK * BLOCK; ++i) values[i] = (float)(1 + i / (BLOCK * BLOCK));
    for (i = 0; i < SIZE; ++i)
        for (j = 0; j < BATCH; ++j) x[i + j * SIZE] = (float)(1 + j);
    device_offsets = to_device(row_offsets, sizeof row_offsets);
    device_columns = to_device(columns, sizeof columns);
    device_values = to_device(values, sizeof values);
    device_x = to_device(x, sizeof x);
    device_y = device_buffer(sizeof y);
    device_gradient = device_buffer(sizeof values);

    CHECK(bsblasCreateConstBsr(&W, SIZE / BLOCK, SIZE / BLOCK, BLOCKS, BLOCK, BLOCK, device_offsets, device_columns,
                               device_values, BSBLAS_INDEX_32I, BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F,
                               BSBLAS_ORDER_ROW));
    CHECK(bsblasCreateBsr(&dW, SIZE / BLOCK, SIZE / BLOCK, BLOCKS, BLOCK, BLOCK, device_offsets, device_columns,
                          device_gradient, BSBLAS_INDEX_32I, BSBLAS_INDEX_32I, BSBLAS_INDEX_BASE_ZERO, BSBLAS_R_32F,
                          BSBLAS_ORDER_ROW));
    CHECK(bsblasCreateConstDnMat(&X, SIZE, BATCH, SIZE, device_x, BSBLAS_R_32F, BSBLAS_ORDER_COL));
    CHECK(bsblasCreateDnMat(&Y, SIZE, BATCH, SIZE, device_y, BSBLAS_R_32F, BSBLAS_ORDER_COL));

    /* Y = W X. alpha and beta are host memory: they have been read when the call returns; the product has not been
     * made. */
    CHECK(bsblasSpMM_bufferSize(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, W, X, Y, NULL, &size));
    buffer = device_buffer(size);
    CHECK(bsblasSpMM(handle, BSBLAS_SIDE_LEFT, BSBLAS_OP_N, BSBLAS_OP_N, &one, W, X, &zero, Y, NULL, buffer, size));
    CHECK_CUDA(cudaMemcpyAsync(y, device_y, sizeof y, cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK_CUDA(cudaFree(buffer));
    for (i = 0; i < SIZE; ++i)
        for (j = 0; j < BATCH; ++j) {
            const float expected = (float)((1 + i / BLOCK) * BLOCK * (1 + j));
            if (y[i + j * SIZE] != expected) {
                fprintf(stderr, "Y(%d, %d) is %g, not %g\n", i, j, y[i + j * SIZE], expected);
                return EXIT_FAILURE;
            }
        }
    printf("Y = W X      as expected\n");

    /* dW = Y X^T at W's blocks: every element of a block is the sum over j of y(j) x(j). */
    CHECK(bsblasSDDMM_bufferSize(handle, BSBLAS_OP_N, BSBLAS_OP_T, Y, X, dW, NULL, &size));
    buffer = device_buffer(size);
    CHECK(bsblasSDDMM(handle, BSBLAS_OP_N, BSBLAS_OP_T, &one, Y, X, &zero, dW, NULL, buffer, size));
    CHECK_CUDA(cudaMemcpyAsync(values, device_gradient, sizeof values, cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK_CUDA(cudaFree(buffer));
    for (i = 0; i < BLOCKS * BLOCK * BLOCK; ++i) {
        float expected = 0.0f;
        for (j = 0; j < BATCH; ++j) expected += (float)((1 + i / (BLOCK * BLOCK)) * BLOCK * (1 + j) * (1 + j));
        if (values[i] != expected) {
            fprintf(stderr, "dW element %d is %g, not %g\n", i, values[i], expected);
            return EXIT_FAILURE;
        }
    }
    printf("dW = Y X^T   as expected\n");

    CHECK(bsblasDestroySpMat(W));
    CHECK(bsblasDestroySpMat(dW));
    CHECK(bsblasDestroyDnMat(X));
    CHECK(bsblasDestroyDnMat(Y));
    CHECK(bsblasDestroy(handle));
    CHECK_CUDA(cudaFree(device_offsets));
    CHECK_CUDA(cudaFree(device_columns));
    CHECK_CUDA(cudaFree(device_values));
    CHECK_CUDA(cudaFree(device_x));
    CHECK_CUDA(cudaFree(device_y));
    CHECK_CUDA(cudaFree(device_gradient));
    CHECK_CUDA(cudaStreamDestroy(stream));
    return EXIT_SUCCESS;
}
