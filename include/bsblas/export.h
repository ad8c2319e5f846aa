/* bsblas: linkage of the public symbols. SPDX-License-Identifier: Apache-2.0 */
#ifndef BSBLAS_EXPORT_H
#define BSBLAS_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define BSBLAS_API __attribute__((visibility("default")))
#else
#define BSBLAS_API
#endif

#ifdef __cplusplus
#define BSBLAS_BEGIN_DECLS extern "C" {
#define BSBLAS_END_DECLS }
#else
#define BSBLAS_BEGIN_DECLS
#define BSBLAS_END_DECLS
#endif

#endif
